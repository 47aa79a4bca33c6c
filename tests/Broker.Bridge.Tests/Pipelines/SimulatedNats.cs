using System.Text;
using Broker.Client;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// A simulated NATS system for the protocol's state machines. Messages of one participant arrive in order, and messages
/// of several participants in any order. If the server is lost, all messages on their way are lost.
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

    /// <summary>Loses all messages on their way. No participant is notified before <see cref="Recover"/>.</summary>
    internal void Lose()
    {
        IsUp = false;
        _participants.ForEach(p => p.Sent.Clear());
    }

    /// <summary>Notifies the participants that a server is connected again.</summary>
    internal void Recover()
    {
        IsUp = true;
        foreach (Participant participant in _participants.ToArray())
        {
            participant.OnConnected?.Invoke();
        }
    }

    /// <summary>Delivers one message of a random participant. Returns false if no message is on its way.</summary>
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

        /// <summary>The messages that were published with a reply subject.</summary>
        internal List<(string ReplyTo, string Body)> Asked { get; } = [];

        /// <summary>The headers of the last message that was published.</summary>
        internal byte[] LastHeaders { get; private set; } = [];

        internal Action? OnConnected { get; set; }

        /// <summary>Whether the connection accepts no messages now.</summary>
        internal bool IsFull { get; set; }

        /// <summary>The status that the connection returns for every publish, if it is set.</summary>
        internal PublishStatus? Refusal { get; set; }

        /// <summary>Whether only this participant has no server.</summary>
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
            LastHeaders = headers.ToArray();
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
