using System.Diagnostics;
using System.Globalization;
using System.Net;
using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Rates;
using Broker.Server;
using Broker.Transport;

namespace Broker.Benchmarks.Requests;

/// <summary>
/// Sends requests of 16 bytes through one server to one responder, from each client in alternating rounds: one request
/// after another, and 64 at a time. The processor time is that of the client alone. Only the replies are asserted.
/// </summary>
internal static class RequestRates
{
    private const string Subject = "echo";
    private const string Body = "0123456789abcdef";
    private const int Together = 64;

    /// <param name="output">The writer of the table.</param>
    /// <param name="rounds">The number of rounds.</param>
    /// <param name="each">
    /// The number of requests of each client in a round. Four times as many are sent by the concurrent requesters.
    /// </param>
    /// <param name="address">The server; null to start this project's server in this process.</param>
    internal static async Task RunAsync(TextWriter output, int rounds, int each, IPEndPoint? address)
    {
        BrokerServer? own = address is null ? await BrokerServer.StartAsync(o =>
        {
            o.Listen(0);
            o.LoopOptions = new EventLoopOptions { Loops = 1 };
        }).ConfigureAwait(false) : null;
        address ??= (IPEndPoint)own!.EndPoints[0];
        try
        {
            using var responder = new RawResponder(address, Subject);
            ThreadClock[] others = own is null ? [responder.Clock] : [responder.Clock, await ClockOfAsync(own.Loops[0]).ConfigureAwait(false)];
            Measure(output, rounds, each, address, others);
        }
        finally
        {
            if (own is not null)
            {
                await own.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private static void Measure(TextWriter output, int rounds, int each, IPEndPoint address, ThreadClock[] others)
    {
        string url = string.Create(CultureInfo.InvariantCulture, $"nats://{address}");
        List<(string Name, IRequester Requester)> clients =
        [
            ("a socket", new RawRequester(address, Subject, Body)),
            ("ours, a thread that turns the loop", new CallerDrivenRequester(url, Subject, Body)),
            ("ours, a thread that blocks", new OursRequester(url, Subject, Body, blocking: true)),
            ("ours, awaited", new OursRequester(url, Subject, Body, blocking: false)),
        ];
        if (Libnats.Missing is null)
        {
            clients.Add(("libnats, sent at once", new LibnatsRequester(address.Port, Subject, Body, atOnce: true)));
            clients.Add(("libnats", new LibnatsRequester(address.Port, Subject, Body, atOnce: false)));
        }

        try
        {
            var alone = clients.ToDictionary(c => c.Name, _ => new List<(Usage Usage, double P50, double P99)>());
            var together = clients.ToDictionary(c => c.Name, _ => new List<Usage>());
            long[] ticks = new long[each];
            // The first round compiles the code and does not count.
            for (int round = 0; round <= rounds; round++)
            {
                foreach ((string name, IRequester requester) in clients)
                {
                    var one = Usage.Of(() => requester.Ask(ticks), others);
                    Array.Sort(ticks);
                    bool has = true;
                    var many = Usage.Of(() => has = requester.TryAskTogether(Together, each / 4), others);
                    if (round > 0)
                    {
                        alone[name].Add((one, Micros(ticks[each / 2]), Micros(ticks[each * 99 / 100])));
                    }

                    if (round > 0 && has)
                    {
                        together[name].Add(many);
                    }
                }
            }

            Print(output, [.. clients.Select(c => (c.Name, alone[c.Name], together[c.Name]))], each);
        }
        finally
        {
            clients.ForEach(c => c.Requester.Dispose());
        }
    }

    private static void Print(
        TextWriter output, List<(string Name, List<(Usage Usage, double P50, double P99)> Alone, List<Usage> Together)> rows, int each)
    {
        output.WriteLine("| request, 16 B | p50 µs | p99 µs | CPU µs | bytes | 64 at a time, per s | CPU µs | bytes |");
        output.WriteLine("|---|---|---|---|---|---|---|---|");
        foreach ((string name, List<(Usage Usage, double P50, double P99)> alone, List<Usage> together) in rows)
        {
            double Alone(Func<(Usage Usage, double P50, double P99), double> key) => alone.Select(key).Order().ElementAt(alone.Count / 2);
            output.Write(string.Create(
                CultureInfo.InvariantCulture,
                $"| {name} | {Alone(a => a.P50):0.0} | {Alone(a => a.P99):0} | {Alone(a => a.Usage.Processor.TotalMicroseconds / each):0.0} | {Alone(a => a.Usage.Allocated / (double)each):0} | "));
            double requests = Together * (each / 4);
            output.WriteLine(together.Count == 0
                ? "| | |"
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"{Usage.Median(together, u => requests / u.Elapsed.TotalSeconds):0} | {Usage.Median(together, u => u.Processor.TotalMicroseconds / requests):0.00} | {Usage.Median(together, u => u.Allocated / requests):0} |"));
        }
    }

    private static double Micros(long ticks) => ticks * 1e6 / Stopwatch.Frequency;

    private static Task<ThreadClock> ClockOfAsync(EventLoop loop)
    {
        var clock = new TaskCompletionSource<ThreadClock>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() => clock.SetResult(ThreadClock.OfThisThread()));
        return clock.Task;
    }
}
