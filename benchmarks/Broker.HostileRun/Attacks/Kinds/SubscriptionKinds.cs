using System.Globalization;
using System.Text;

namespace Broker.HostileRun.Attacks.Kinds;

/// <summary>Clients that load the server's subscriptions.</summary>
internal static class SubscriptionKinds
{
    private const int Many = 1_000;

    // A subject of these numbers of tokens meets 1,024 and 16,384 filters.
    private const int Tokens = 10;
    private const int ManyTokens = 14;

    private static readonly TimeSpan Session = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(150);

    /// <summary>Subscribes a thousand times and leaves.</summary>
    public static async Task FloodAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        string token = Garbage.Token();
        if (Garbage.Any(true, false))
        {
            using HostileConnection peer = await attacker.ConnectAsync(attacker.At.Subscribers, cancellationToken);
            await peer.SendAsync(Zmtp.Handshake("SUB"), cancellationToken);
            byte[] prefixes = [.. Enumerable.Range(0, Many).SelectMany(i => Zmtp.Subscribe(string.Create(CultureInfo.InvariantCulture, $"{token}.{i}")))];
            await peer.SendAsync(prefixes, cancellationToken);
            attacker.Count();
            await peer.HoldAsync(Garbage.Between(0, 2), cancellationToken);
            return;
        }

        using HostileConnection connection = await attacker.ConnectNatsAsync(cancellationToken);
        var lines = new StringBuilder();
        for (int i = 0; i < Many; i++)
        {
            lines.Append(CultureInfo.InvariantCulture, $"SUB {Garbage.Any($"{token}.{i}", $"*.{token}.{i}.>", $"{token}.*.{i}")} {i}\r\n");
        }

        await connection.SendAsync(lines.ToString(), cancellationToken);
        attacker.Count();
        await connection.HoldAsync(Garbage.Between(0, 2), cancellationToken);
    }

    /// <summary>
    /// Publishes each time to more than a thousand wildcard subscriptions of its own, and reads everything.
    /// </summary>
    public static async Task PublishToWildcardsAsync(Attacker attacker, CancellationToken cancellationToken)
    {
        string token = Garbage.Token();
        using HostileConnection connection = await attacker.ConnectNatsAsync(cancellationToken);
        Task reading = connection.HoldAsync(2 * Session, cancellationToken);
        await connection.SendAsync(Nats.SubscribeToAllFilters("many." + token, ManyTokens, 1), cancellationToken);
        await connection.SendAsync(Nats.SubscribeToAllFilters(token, Tokens, (1 << ManyTokens) + 1), cancellationToken);
        await connection.SendAsync(Nats.Publish(Nats.SubjectOfAllFilters("many." + token, ManyTokens), 1), cancellationToken);
        attacker.Count();
        string publish = Nats.Publish(Nats.SubjectOfAllFilters(token, Tokens), 1);
        for (TimeSpan time = TimeSpan.Zero; time < Session && !reading.IsCompleted; time += Pause)
        {
            await connection.SendAsync(publish, cancellationToken);
            attacker.Count();
            await Task.Delay(Pause, cancellationToken);
        }

        connection.Dispose();
        await reading;
    }
}
