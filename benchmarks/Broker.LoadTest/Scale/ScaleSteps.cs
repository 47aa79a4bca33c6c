using System.Diagnostics;
using System.Globalization;

namespace Broker.LoadTest.Scale;

/// <summary>
/// Does something many times, some of them at the same time, and writes the rates of the second and of the last tenth.
/// In the first tenth, the server compiles its code.
/// </summary>
internal sealed class ScaleSteps(int inFlight, Process server, TextWriter output)
{
    private const int Parts = 10;

    public async Task RunAsync(string what, int count, Func<int, Task> one, CancellationToken cancellationToken)
    {
        double[] rates = new double[Parts];
        for (int part = 0; part < Parts; part++)
        {
            int first = (int)((long)count * part / Parts);
            int end = (int)((long)count * (part + 1) / Parts);
            long started = Stopwatch.GetTimestamp();
            await RunAsync(first, end, one, cancellationToken);
            rates[part] = (end - first) / Stopwatch.GetElapsedTime(started).TotalSeconds;
        }

        server.Refresh();
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"| {what} | {count:N0} | {rates[1]:N0} | {rates[^1]:N0} | {server.WorkingSet64 / 1e6:0.0} |"));
    }

    private Task RunAsync(int first, int end, Func<int, Task> one, CancellationToken cancellationToken)
    {
        async Task WorkAsync(int worker)
        {
            for (int i = first + worker; i < end; i += inFlight)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await one(i);
            }
        }

        return Task.WhenAll(Enumerable.Range(0, inFlight).Select(WorkAsync));
    }
}
