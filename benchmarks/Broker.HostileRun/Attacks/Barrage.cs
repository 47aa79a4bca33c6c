using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks;

/// <summary>All attackers of a run, in the process that is theirs.</summary>
internal sealed class Barrage(Endpoints endpoints, IReadOnlyList<AttackKind> kinds)
{
    private const int MostAtOnce = 1_000;

    private static readonly TimeSpan Turn = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    // A strike ends at this time if the broker keeps it waiting.
    private static readonly TimeSpan StrikeLimit = TimeSpan.FromSeconds(60);

    private readonly (AttackKind Kind, Attacker Attacker)[] _all = [.. kinds.Select(kind => (kind, new Attacker(endpoints)))];

    /// <summary>Attacks until the input ends, and writes the counts each second and at the end.</summary>
    public async Task RunAsync(TextReader input, TextWriter output)
    {
        using var stop = new CancellationTokenSource();
        Task ends = Task.Run(input.ReadToEnd);
        Task[] running = [.. _all.Select(one => AttackAsync(one.Kind, one.Attacker, stop.Token))];
        do
        {
            await output.WriteLineAsync(Counts());
            await output.FlushAsync();
        }
        while (await Task.WhenAny(ends, Task.Delay(Interval)) != ends);

        await stop.CancelAsync();
        await Task.WhenAll(running);
        await output.WriteLineAsync(Counts());
    }

    private string Counts()
        => string.Join(' ', _all.Select(one => string.Create(CultureInfo.InvariantCulture, $"{one.Kind.Name}={one.Attacker.Attacks}")));

    private static async Task AttackAsync(AttackKind kind, Attacker attacker, CancellationToken cancellationToken)
    {
        // The first strike begins at once, also of a kind with few.
        var running = new List<Task>();
        long begun = 0;
        var watch = Stopwatch.StartNew();
        while (!cancellationToken.IsCancellationRequested)
        {
            running.RemoveAll(task => task.IsCompleted);
            long due = 1 + (long)(watch.Elapsed.TotalSeconds * kind.PerSecond);
            for (; begun < due; begun++)
            {
                if (running.Count < MostAtOnce)
                {
                    running.Add(StrikeAsync(kind, attacker, cancellationToken));
                }
            }

            await Task.Delay(Turn, CancellationToken.None);
        }

        await Task.WhenAll(running);
    }

    private static async Task StrikeAsync(AttackKind kind, Attacker attacker, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(StrikeLimit);
        try
        {
            await kind.StrikeAsync(attacker, limit.Token);
        }
        catch (Exception e) when (e is SocketException or IOException or OperationCanceledException)
        {
            // The broker closes hostile connections when it likes.
        }
    }
}
