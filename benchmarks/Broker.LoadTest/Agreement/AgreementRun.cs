using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Agreement;

/// <summary>
/// Measures the same traffic by the load test and by <c>broker bench</c>, in turn and at the same server, so that a
/// change of the machine's speed affects both.
/// </summary>
internal sealed class AgreementRun(IReadOnlyList<BenchRow> rows, int rounds, Settings settings, BenchProcess bench, ServerCommand command, DriverResources resources)
{
    /// <exception cref="DriverException">The server or a driver has failed.</exception>
    public IReadOnlyList<AgreementOutcome> Run(TextWriter progress, CancellationToken cancellationToken)
    {
        using var servers = new KeptServers(resources);
        return [.. rows.Select(row => Measure(row, servers, progress, cancellationToken))];
    }

    private AgreementOutcome Measure(BenchRow benchRow, KeptServers servers, TextWriter progress, CancellationToken cancellationToken)
    {
        Row row = benchRow.Row;
        ServerProcess server = servers.Acquire(row.CommandFor(command) ?? command);
        var target = new Target(server, resources.Buffers);
        var sizing = new Sizing(settings);
        long messages = sizing.FirstGuess(row);
        for (int pass = 0; pass < settings.WarmUps; pass++)
        {
            Measurement seen = row.Measure(target, messages);
            // As long as broker bench measures, because a machine may allow more for a short time.
            messages = Math.Max(1, (long)(seen.Rate * bench.Time.TotalSeconds / row.Copies) / row.Publishers) * row.Publishers;
        }

        List<double> load = [];
        List<double> benched = [];
        for (int round = 1; round <= rounds; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            progress.WriteLine($"{row.Name}, round {round} of {rounds}");
            Measurement measurement = row.Measure(target, messages);
            if (measurement.Lost)
            {
                throw new DriverException($"{row.Name}: the server has closed a reader's connection.");
            }

            load.Add(measurement.Rate);
            benched.Add(bench.Measure(benchRow, server, cancellationToken));
        }

        return new AgreementOutcome(row.Name, load, benched);
    }
}
