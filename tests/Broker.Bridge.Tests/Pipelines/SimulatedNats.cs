using System.Text;
using Broker.Client;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// A NATS system for state machines: what one participant publishes arrives in order, that of several in any; a loss of the server takes
/// what is on its way.
/// </summary>
internal sealed class SimulatedNats(int seed)
{
    private readonly Random _random = new(seed);
    private readonly List<Participant> _participants = [];

    internal int MaxPayload { get; set; } = 1024 * 1024;

    internal bool IsUp { get; private set; } = true;

    internal long Published { get; private set; }

    internal Participant Join(string name)
    {
        var participant = new Participant(this, name);
        _participants.Add(participant);
        return participant;
    }

    internal void Remove(Participant participant) => _participants.Remove(participant);

    /// <summary>Everything on its way is lost; nobody is told before <see cref="Recover"/>.</summary>
    internal void Lose()
    {
        IsUp = false;
        _participants.ForEach(p => p.Sent.Clear());
    }

    /// <summary>There is a server again.</summary>
    internal void Recover()
    {
        IsUp = true;
        foreach (Participant participant in _participants.ToArray())
        {
            participant.OnConnected?.Invoke();
        }
    }

    /// <summary>Delivers one message of a participant chosen by chance. False when nothing is on its way.</summary>
    internal bool Step()
    {
        Participant[] ready = [.. _participants.Where(p => p.Sent.Count > 0)];
        if (ready.Length == 0)
        {
            return false;
        }

        (string subject, byte[] headers, byte[] body) = ready[_random.Next(ready.Length)].Sent.Dequeue();
        foreach (Participant participant in _participants.ToArray())
        {
            participant.Deliver(subject, headers, body);
        }

        return true;
    }

    internal sealed class Participant(SimulatedNats nats, string name)
    {
        private readonly List<(string Filter, Action<string, byte[], byte[]> Handler)> _subscriptions = [];

        internal string Name { get; } = name;

        internal Queue<(string Subject, byte[] Headers, byte[] Body)> Sent { get; } = new();

        /// <summary>What it published with a subject for answers.</summary>
        internal List<(string ReplyTo, string Body)> Asked { get; } = [];

        internal Action? OnConnected { get; set; }

        /// <summary>Whether the connection takes no more for now.</summary>
        internal bool IsFull { get; set; }

        /// <summary>What the connection says to all that is published, if it says so.</summary>
        internal PublishStatus? Refusal { get; set; }

        /// <summary>Whether it alone has no server.</summary>
        internal bool IsCutOff { get; set; }

        internal Wire Wire => new(this);

        internal void Subscribe(string filter, Action<string, byte[], byte[]> handler) => _subscriptions.Add((filter, handler));

        internal void Deliver(string subject, byte[] headers, byte[] body)
        {
            foreach ((string filter, Action<string, byte[], byte[]> handler) in _subscriptions)
            {
                if (!IsCutOff && (filter.EndsWith(".*", StringComparison.Ordinal) ? subject.StartsWith(filter[..^1], StringComparison.Ordinal) : subject == filter))
                {
                    handler(subject, headers, body);
                }
            }
        }

        internal PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
        {
            if (Refusal is { } refusal)
            {
                return refusal;
            }

            if (headers.Length + body.Length > nats.MaxPayload)
            {
                return PublishStatus.PayloadTooLarge;
            }

            if (!IsConnected || IsFull)
            {
                return IsConnected ? PublishStatus.PendingLimit : PublishStatus.Dropped;
            }

            nats.Published++;
            Sent.Enqueue((Encoding.ASCII.GetString(subject), headers.ToArray(), body.ToArray()));
            return PublishStatus.Accepted;
        }

        internal int MaxPayload => nats.MaxPayload;

        internal bool IsConnected => nats.IsUp && !IsCutOff;
    }

    internal readonly struct Wire(Participant participant) : IPipelineConnection
    {
        public bool IsConnected => participant.IsConnected;

        public int MaxPayload => participant.MaxPayload;

        public PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
            => participant.Publish(subject, headers, body);

        public PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
        {
            PublishStatus status = participant.Publish(subject, headers, body);
            if (status == PublishStatus.Accepted)
            {
                participant.Asked.Add((Encoding.ASCII.GetString(replyTo), Encoding.ASCII.GetString(body)));
            }

            return status;
        }
    }
}
