using System.Buffers.Text;
using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Bridge;

/// <summary>
/// The egress of a pipeline without its sockets. It passes each message to PUSH once, in the order of its link, and
/// acknowledges the message only when PUSH has taken it. Used on the connection's loop. docs/push-pull.md describes the
/// protocol.
/// </summary>
/// <remarks>
/// Messages that PUSH cannot take are queued here, at most one window for each ingress. Therefore the egress never
/// pauses the connection.
/// </remarks>
internal sealed partial class Egress<TWire, TSink>
    where TWire : struct, IPipelineConnection
    where TSink : struct, IPipelineSink
{
    // An acknowledgement is sent for each eighth of a window. Smaller numbers of messages are acknowledged by Flush.
    private const int AcksPerWindow = 8;

    private readonly PipelineSubjects _subjects;
    private readonly PipelineLimits _limits;
    private readonly PipelineMemoryPool _pool;
    private readonly HeaderBuilder _announcement;
    private readonly byte[] _announceSubject;
    private readonly Dictionary<byte[], EgressLink> _links = new(new ByteStringComparer());
    private readonly List<EgressLink> _acknowledgementsDue = [];
    private readonly List<EgressLink> _expired = [];

    // The pairs with queued messages, in round-robin order.
    private readonly Queue<EgressLink> _waiting = new();
    private TWire _wire;
    private TSink _sink;
    private EgressLink? _lastLink;
    private bool _isFlushWanted;
    private long _waitingCount;

    /// <param name="subjects">The subjects of the pipeline.</param>
    /// <param name="id">The name of this egress: one token that no other egress has or had.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="sink">The PUSH socket.</param>
    /// <param name="pool">The chunk pool of the loop.</param>
    /// <param name="limits">The limits of the pipeline.</param>
    internal Egress(PipelineSubjects subjects, string id, TWire wire, TSink sink, PipelineMemoryPool pool, PipelineLimits limits)
    {
        _subjects = subjects;
        _limits = limits;
        _pool = pool;
        _wire = wire;
        _sink = sink;
        Id = id;
        _announceSubject = PipelineSubjects.Bytes(subjects.Egresses);
        _announcement = new HeaderBuilder($"Zmq-Egress: {id}\r\n");
    }

    internal string Id { get; }

    internal EgressCounters Counters { get; } = new();

    /// <summary>The number of known links of ingresses.</summary>
    internal int Links => _links.Count;

    /// <summary>The number of messages that are queued for PUSH.</summary>
    internal long Waiting => Volatile.Read(ref _waitingCount);

    /// <summary>Called when acknowledgements become pending, once before each <see cref="Flush"/>.</summary>
    internal Action? OnFlushWanted { get; set; }

    /// <summary>Whether the egress announces itself and takes messages.</summary>
    internal bool IsOpen { get; private set; }

    /// <summary>Handles a message on the subject of this egress.</summary>
    internal void OnMessage(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        // The fast path: headers as bridges write them, from the same ingress as the last message.
        if (_lastLink is { } pair && headers.StartsWith(pair.ExpectedHeader))
        {
            ReadOnlySpan<byte> rest = headers[pair.ExpectedHeader.Length..];
            if (Utf8Parser.TryParse(rest, out long number, out int digits) && rest[digits..].SequenceEqual("\r\n\r\n"u8))
            {
                Take(pair, number, body, new MessageShape(1));
                return;
            }
        }

        OnOtherMessage(headers, body);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void OnOtherMessage(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        if (!PipelineHeader.TryParse(headers, out PipelineHeader header) || !PipelineSubjects.IsId(header.Ingress, tokens: 2))
        {
            Counters.CountRefused();
            return;
        }

        if (header.End)
        {
            OnEnd(header.Ingress);
        }
        else if (FindOrAddLink(header.Ingress) is { } pair)
        {
            _lastLink = pair;
            if (header.Sequence > 0)
            {
                Take(pair, header.Sequence, body, new MessageShape(header.Frames, header.Moved));
            }
            else if (header.Last >= 0)
            {
                OnProbe(pair, header.Last);
            }
            else
            {
                Counters.CountRefused();
            }
        }
    }

    private void Take(EgressLink pair, long number, ReadOnlySpan<byte> body, MessageShape shape)
    {
        pair.SilentTicks = 0;
        if (number != pair.Received + 1 || pair.IsEnded)
        {
            OnUnexpected(pair, number);
            return;
        }

        if (shape.Frames != 1 && !FrameLengths.AreValid(body, shape.Frames))
        {
            // The sender wrote wrong frame lengths. A resend would not help, so the message is dropped and
            // acknowledged.
            Counters.CountRefused();
            body = default;
            shape = new MessageShape(0);
        }

        if (_waiting.Count == 0 && TrySend(body, shape))
        {
            pair.Received = number;
            Counters.CountReceived();
            OnSent(pair, body.Length);
        }
        else
        {
            Enqueue(pair, number, body, shape);
        }
    }

    private void Enqueue(EgressLink pair, long number, ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (pair.Queue.Count >= _limits.Window || (!pair.Queue.IsEmpty && pair.Queue.Bytes + body.Length > _limits.WindowBytes))
        {
            // The ingress exceeded the window that it received.
            Counters.CountRefused();
            return;
        }

        if (pair.Queue.IsEmpty)
        {
            _waiting.Enqueue(pair);
        }

        pair.Received = number;
        Counters.CountReceived();
        pair.Queue.Add(body, shape);
        _waitingCount++;
    }

    /// <summary>Passes queued messages to PUSH while it accepts them, one message of each ingress in turn.</summary>
    internal void Drain()
    {
        while (_waiting.TryPeek(out EgressLink? pair))
        {
            if (pair.Queue.IsEmpty)
            {
                // The messages were released or discarded meanwhile.
                _waiting.Dequeue();
                continue;
            }

            ReadOnlySpan<byte> body = pair.Queue.Peek(out MessageShape shape);
            if (!TrySend(body, shape))
            {
                return;
            }

            int length = body.Length;
            pair.Queue.RemoveFirst();
            _waitingCount--;
            _waiting.Dequeue();
            if (!pair.Queue.IsEmpty)
            {
                _waiting.Enqueue(pair);
            }

            OnSent(pair, length);
        }
    }

    private bool TrySend(ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (shape.Frames == 0)
        {
            return true;
        }

        if (!_sink.TryTake(body, shape.Frames))
        {
            return false;
        }

        Counters.CountDelivered(shape.Moved);
        return true;
    }

    private void OnSent(EgressLink pair, int bytes)
    {
        pair.BytesSinceAck += bytes;
        if (pair.Taken - pair.Acknowledged >= Math.Max(1, _limits.Window / AcksPerWindow)
            || pair.BytesSinceAck >= _limits.WindowBytes / AcksPerWindow)
        {
            Acknowledge(pair);
        }
        else if (!pair.IsAckDue)
        {
            AcknowledgeLater(pair);
        }
    }

    private EgressLink? FindOrAddLink(ReadOnlySpan<byte> ingress)
    {
        var byName = _links.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (byName.TryGetValue(ingress, out EgressLink? pair))
        {
            return pair;
        }

        if (_links.Count >= _limits.MostPeers && !TryRemoveSilent())
        {
            Counters.CountRefused();
            return null;
        }

        byte[] name = ingress.ToArray();
        pair = new EgressLink(name, Id, PipelineSubjects.Bytes(_subjects.InPrefix + Encoding.ASCII.GetString(name)), _pool);
        _links.Add(name, pair);
        return pair;
    }
}
