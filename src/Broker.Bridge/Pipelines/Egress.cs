using System.Buffers.Text;
using System.Runtime.CompilerServices;

namespace Broker.Bridge;

/// <summary>
/// The egress of a pipeline without its sockets. It passes each message to PUSH once, in the order of the link, and
/// acknowledges the message only when PUSH has taken it. Used on the connection's loop. docs/push-pull.md describes the
/// protocol.
/// </summary>
/// <remarks>
/// Messages that PUSH cannot take are queued here, at most one window for each ingress. Therefore the egress never
/// pauses the connection.
/// </remarks>
internal sealed partial class Egress<TConnection, TSink> : IPipelineEgress
    where TConnection : struct, IPipelineConnection
    where TSink : struct, IPipelineSink
{
    // An acknowledgement is sent for each eighth of a window. Smaller numbers of messages are acknowledged by Flush.
    private const int AcksPerWindow = 8;

    private readonly PipelineSubjects _subjects;
    private readonly PipelineLimits _limits;
    private readonly PipelineMemoryPool _pool;
    private readonly HeaderBuilder _announcement;
    private readonly byte[] _announceSubject;
    private readonly EgressLinks _links;
    private readonly List<EgressLink> _acknowledgementsDue = [];
    private readonly List<EgressLink> _expired = [];
    private readonly WaitingLinks _waiting = new();
    private readonly PipelineBudget _budget;
    private readonly byte[] _inPrefix;
    private readonly HeaderBuilder _strangerHeaders;
    private TConnection _connection;
    private TSink _sink;
    private EgressLink? _lastLink;
    private bool _isFlushWanted;
    private long _waitingCount;

    /// <param name="subjects">The subjects of the pipeline.</param>
    /// <param name="id">The name of this egress: one token that no other egress has or had.</param>
    /// <param name="connection">The connection.</param>
    /// <param name="sink">The PUSH socket.</param>
    /// <param name="pool">The chunk pool of the loop.</param>
    /// <param name="limits">The limits of the pipeline.</param>
    internal Egress(PipelineSubjects subjects, string id, TConnection connection, TSink sink, PipelineMemoryPool pool, PipelineLimits limits)
    {
        _subjects = subjects;
        _limits = limits;
        _pool = pool;
        _connection = connection;
        _sink = sink;
        Id = id;
        _announceSubject = PipelineSubjects.Bytes(subjects.Egresses);
        _announcement = new HeaderBuilder($"Zmq-Egress: {id}\r\n");
        _strangerHeaders = new HeaderBuilder($"Zmq-Egress: {id}\r\n");
        _inPrefix = PipelineSubjects.Bytes(subjects.InPrefix);
        _budget = new PipelineBudget(pool, limits.MostBytes);
        _links = new EgressLinks(limits, _budget);
    }

    internal string Id { get; }

    internal EgressCounters Counters { get; } = new();

    /// <summary>The number of known links of ingresses.</summary>
    internal int Links => _links.Count;

    // The bytes that each ingress may have in transit. The share becomes smaller with the number of links.
    private long WindowBytes => Math.Min(_limits.WindowBytes, _budget.Share);

    /// <summary>The number of messages that are queued for PUSH.</summary>
    internal long Waiting => Volatile.Read(ref _waitingCount);

    /// <summary>Called when the first acknowledgement becomes pending after a <see cref="Flush"/>.</summary>
    internal Action? OnFlushWanted { get; set; }

    /// <summary>Whether the egress announces itself and takes messages.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>Handles a message on the subject of this egress.</summary>
    internal void OnMessage(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        // The fast path: headers as bridges write them, from the same ingress as the last message.
        if (_lastLink is { } link && headers.StartsWith(link.ExpectedHeader))
        {
            ReadOnlySpan<byte> rest = headers[link.ExpectedHeader.Length..];
            if (Utf8Parser.TryParse(rest, out long number, out int digits)
                && rest[digits..].SequenceEqual("\r\n\r\n"u8))
            {
                Take(link, number, body, new MessageShape(1));
                return;
            }
        }

        OnOtherMessage(headers, body);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void OnOtherMessage(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        if (!PipelineHeader.TryParse(headers, out PipelineHeader header)
            || !PipelineSubjects.IsId(header.Ingress, tokens: 2))
        {
            Counters.CountRefused();
            return;
        }

        if (header.End)
        {
            OnEnd(header.Ingress);
        }
        else if (FindOrAddLink(header) is { } link)
        {
            _lastLink = link;
            if (header.Sequence > 0)
            {
                Take(link, header.Sequence, body, new MessageShape(header.Frames, header.Moved));
            }
            else if (header.Last >= 0)
            {
                OnProbe(link, header.Last);
            }
            else
            {
                Counters.CountRefused();
            }
        }
    }

    private void Take(EgressLink link, long number, ReadOnlySpan<byte> body, MessageShape shape)
    {
        link.SilentTicks = 0;
        if (number != link.Received + 1 || link.IsEnded)
        {
            OnUnexpected(link, number);
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

        if (_waiting.First is null && TrySend(body, shape))
        {
            link.Received = number;
            Counters.CountReceived();
            OnSent(link, body.Length);
        }
        else
        {
            Enqueue(link, number, body, shape);
        }
    }

    private void Enqueue(EgressLink link, long number, ReadOnlySpan<byte> body, MessageShape shape)
    {
        // The window may have become smaller while messages were on their way, so the limit is the largest window.
        if (link.Queue.Count >= _limits.Window || _budget.IsExhausted || (!link.Queue.IsEmpty
            && link.Queue.Bytes + body.Length > _limits.WindowBytes))
        {
            // The ingress exceeded the window that it received, or there is no memory. It sends the message again.
            Counters.CountRefused();
            return;
        }

        if (link.Queue.IsEmpty)
        {
            _waiting.AddLast(link);
        }

        link.Received = number;
        Counters.CountReceived();
        link.Queue.Add(body, shape);
        _waitingCount++;
    }

    /// <summary>Passes queued messages to PUSH while it accepts them, one message of each ingress in turn.</summary>
    public void Drain()
    {
        while (_waiting.First is { } link)
        {
            ReadOnlySpan<byte> body = link.Queue.Peek(out MessageShape shape);
            if (!TrySend(body, shape))
            {
                return;
            }

            int length = body.Length;
            link.Queue.RemoveFirst();
            _waitingCount--;
            if (link.Queue.IsEmpty)
            {
                _waiting.Remove(link);
            }
            else
            {
                _waiting.MoveFirstToLast();
            }

            OnSent(link, length);
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

    private void OnSent(EgressLink link, int bytes)
    {
        link.BytesSinceAck += bytes;
        if (link.Taken - link.Acknowledged >= Math.Max(1, _limits.Window / AcksPerWindow)
            || link.BytesSinceAck >= WindowBytes / AcksPerWindow)
        {
            Acknowledge(link);
        }
        else if (!link.IsAckDue)
        {
            AcknowledgeLater(link);
        }
    }
}
