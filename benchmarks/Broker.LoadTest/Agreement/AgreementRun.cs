using Broker.LoadTest.Driver;
using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Agreement;

/// <summary>
/// Measures the same traffic by the load test and by <c>broker bench</c>, in turn and at the same server, so that a
/// change of the machine's speed affects both. A rate is the mean of several sessions, each with connections of its own:
/// how the system places the threads of drivers and server on few processors stays the same for a whole session, and
/// changes its rate by a third.
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
            load.Add(Enumerable.Range(0, bench.Sessions).Average(_ => Measure(row, target, messages)));
            benched.Add(bench.Measure(benchRow, server, cancellationToken));
            progress.WriteLine($"{row.Name}, round {round} of {rounds}: {Format.Count(load[^1])} by the load test, {Format.Count(benched[^1])} by broker bench");
        }

        return new AgreementOutcome(row.Name, load, benched);
    }

    private static double Measure(Row row, Target target, long messages)
    {
        Measurement measurement = row.Measure(target, messages);
        return measurement.Lost ? throw new DriverException($"{row.Name}: the server has closed a reader's connection.") : measurement.Rate;
    }
}
