using Broker.Transport;

namespace Broker.Server;

/// <summary>The most recently closed client connections. Thread-safe. Their number and size are limited.</summary>
internal sealed class ClosedConnections
{
    /// <summary>The maximum number of stored connections, which is also nats-server's default.</summary>
    internal const int Capacity = 10_000;

    // Longer texts are cut, because a client may send texts as long as a control line and ten thousand connections are
    // stored.
    private const int LongestText = 128;

    private readonly Lock _gate = new();
    private readonly Queue<ConnectionDescription> _facts = new();

    internal void Add(ClientSession session, CloseReason reason, DateTime now)
    {
        ConnectionDescription facts = session.Describe(now);
        facts = facts with
        {
            Stopped = now,
            Reason = CloseText.Of(session.Channel.Failure, reason),
            Name = Clip(facts.Name),
            Language = Clip(facts.Language),
            Version = Clip(facts.Version),
        };
        lock (_gate)
        {
            if (_facts.Count == Capacity)
            {
                _facts.Dequeue();
            }

            _facts.Enqueue(facts);
        }
    }

    internal ConnectionDescription[] ToArray()
    {
        lock (_gate)
        {
            return [.. _facts];
        }
    }

    private static string? Clip(string? text) => text is { Length: > LongestText } ? text[..LongestText] : text;
}
