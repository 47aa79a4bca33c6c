using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks.Kinds;

/// <summary>
/// Clients of the NATS server that play the parts of bridges: egresses and ingresses that do not exist, and
/// acknowledgements, ends and messages under the names of those that exist, as far as they can be seen.
/// </summary>
internal static partial class PipelineKind
{
    private const string Subject = Names.Pipeline;

    private static readonly TimeSpan Session = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    public static async Task ForgeAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        var seen = new Seen();
        using HostileConnection connection = await attacker.ConnectNatsAsync(cancellationToken);
        await connection.SendAsync($"SUB {Subject}._out.> 1\r\nSUB {Subject}._egress 2\r\nSUB {Subject}._in.> 3\r\nSUB {Subject}._ingress 4\r\n", cancellationToken);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task reading = ReadAsync(connection, seen, limit.Token);
        for (TimeSpan time = TimeSpan.Zero; time < Session && !reading.IsCompleted; time += Pause)
        {
            await connection.SendAsync(Forged(seen), cancellationToken);
            attacker.Count();
            await Task.Delay(Pause, cancellationToken);
        }

        await limit.CancelAsync();
        await reading.ContinueWith(static _ => { }, TaskScheduler.Default);
    }

    private static string Forged(Seen seen)
    {
        string egress = seen.AnyEgress() ?? Garbage.Token();
        (string link, long number) = seen.AnyLink() ?? ($"{Garbage.Token()}.{Garbage.Token()}", Random.Shared.Next(10_000));
        string window = "Zmq-Window: 4096 4194304";
        string ghost = Garbage.Token();
        return Random.Shared.Next(9) switch
        {
            0 => Forge("_egress", $"Zmq-Egress: {ghost}\r\nZmq-Window: 4096 999999999"),
            1 => Forge("_egress", $"Zmq-Egress: {egress}\r\nZmq-Window: 1 1"),
            2 => Forge("_ingress", $"Zmq-Ingress: {ghost}"),
            3 => Forge($"_out.{egress}", $"Zmq-Ingress: {ghost}.1\r\nZmq-Last: 0"),
            4 => Forge($"_out.{egress}", $"Zmq-Ingress: {ghost}.1\r\nZmq-Seq: 2", "a message under a new name"),
            5 => Forge($"_out.{egress}", $"Zmq-Ingress: {link}\r\nZmq-End: 1"),
            6 => Forge($"_in.{link}", string.Create(CultureInfo.InvariantCulture, $"Zmq-Egress: {egress}\r\nZmq-Ack: {number}\r\n{window}")),
            7 => Forge($"_in.{link}", string.Create(CultureInfo.InvariantCulture, $"Zmq-Egress: {ghost}\r\nZmq-Ack: {number + 1000}\r\n{window}")),
            _ => Forge($"_in.{link}", $"Zmq-Egress: {egress}\r\nZmq-Ack: 0\r\n{window}\r\nZmq-Resend: 1"),
        };
    }

    private static string Forge(string end, string headers, string body = "") => Nats.PublishHeaders($"{Subject}.{end}", headers, body);

    private static async Task ReadAsync(HostileConnection connection, Seen seen, CancellationToken cancellationToken)
    {
        string rest = "";
        while (true)
        {
            ReadOnlyMemory<byte> heard = await connection.ReadAsync(cancellationToken);
            if (heard.IsEmpty)
            {
                return;
            }

            string text = rest + Encoding.Latin1.GetString(heard.Span);
            foreach (Match match in Message().Matches(text))
            {
                seen.Links[match.Groups[1].Value] = long.Parse(match.Groups[2].ValueSpan, CultureInfo.InvariantCulture);
            }

            foreach (Match match in Egress().Matches(text))
            {
                seen.Egresses[match.Groups[1].Value] = true;
            }

            rest = text[^Math.Min(text.Length, 200)..];
        }
    }

    [GeneratedRegex("Zmq-Ingress: ([\\w.-]{1,129})\r\nZmq-(?:Seq|Last): ([0-9]{1,15})\r")]
    private static partial Regex Message();

    [GeneratedRegex("Zmq-Egress: ([\\w-]{1,64})\r")]
    private static partial Regex Egress();

    /// <summary>The names that the attacker has read.</summary>
    private sealed class Seen
    {
        public ConcurrentDictionary<string, long> Links { get; } = new();

        public ConcurrentDictionary<string, bool> Egresses { get; } = new();

        public string? AnyEgress() => Egresses.IsEmpty ? null : Garbage.Any([.. Egresses.Keys]);

        public (string Link, long Number)? AnyLink()
        {
            KeyValuePair<string, long>[] all = [.. Links];
            return all.Length == 0 ? null : Garbage.Any([.. all.Select(one => (one.Key, one.Value))]);
        }
    }
}
