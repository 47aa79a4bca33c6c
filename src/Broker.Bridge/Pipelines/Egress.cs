using System.Buffers.Text;
using System.Runtime.CompilerServices;
using System.Text;
using Broker.Bridge.Mapping;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// The egress of a pipeline, without its sockets: gives each message to PUSH once and in its link's order, and acknowledges it only then. All
/// on the connection's loop; docs/push-pull.md is the protocol.
/// </summary>
/// <remarks>What PUSH does not take waits here, at most a window of each ingress: so the connection is always read.</remarks>
internal sealed partial class Egress<TWire, TSink>
    where TWire : struct, IPipelineWire
    where TSink : struct, IPipelineSink
{
    // An acknowledgement for each eighth of a window; what is less than that waits for the flush.
    private const int AcksPerWindow = 8;

    private readonly PipelineSubjects _subjects;
    private readonly PipelineLimits _limits;
    private readonly ChunkPool _pool;
    private readonly HeaderBuilder _announcement;
    private readonly byte[] _announceSubject;
    private readonly Dictionary<byte[], EgressPair> _pairs = new(new ByteStringComparer());
    private readonly List<EgressPair> _due = [];
    private readonly List<EgressPair> _gone = [];

    // Those with messages that wait, in turn.
    private readonly Queue<EgressPair> _waiting = new();
    private TWire _wire;
    private TSink _sink;
    private EgressPair? _lastPair;
    private bool _isFlushWanted;
    private long _waitingCount;

    /// <param name="subjects">The pipeline's.</param>
    /// <param name="id">Its name, one token, which no other egress has or had.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="sink">PUSH.</param>
    /// <param name="pool">The loop's.</param>
    /// <param name="limits">What bounds it.</param>
    internal Egress(PipelineSubjects subjects, string id, TWire wire, TSink sink, ChunkPool pool, PipelineLimits limits)
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

    /// <summary>How many links of ingresses it knows.</summary>
    internal int Pairs => _pairs.Count;

    /// <summary>How many messages wait for PUSH.</summary>
    internal long Waiting => Volatile.Read(ref _waitingCount);

    /// <summary>Called when acknowledgements wait for <see cref="Flush"/>, once until that.</summary>
    internal Action? OnFlushWanted { get; set; }

    /// <summary>Whether it wants messages: it announces itself, and takes them.</summary>
    internal bool IsOpen { get; private set; }

    /// <summary>A message on this egress's own subject.</summary>
    internal void OnMessage(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        // As bridges write it, and of the same ingress as the last one.
        if (_lastPair is { } pair && headers.StartsWith(pair.UsualHeader))
        {
            ReadOnlySpan<byte> rest = headers[pair.UsualHeader.Length..];
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
        else if (PairOf(header.Ingress) is { } pair)
        {
            _lastPair = pair;
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

    private void Take(EgressPair pair, long number, ReadOnlySpan<byte> body, MessageShape shape)
    {
        pair.Silence = 0;
        if (number != pair.Received + 1 || pair.IsEnded)
        {
            OnUnexpected(pair, number);
            return;
        }

        if (shape.Frames != 1 && !FrameLengths.AreValid(body, shape.Frames))
        {
            // Broken by whoever sent it, and not better the next time.
            Counters.CountRefused();
            body = default;
            shape = new MessageShape(0);
        }

        if (_waiting.Count == 0 && TryHand(body, shape))
        {
            pair.Received = number;
            Counters.CountReceived();
            NoteTaken(pair, body.Length);
        }
        else
        {
            Keep(pair, number, body, shape);
        }
    }

    private void Keep(EgressPair pair, long number, ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (pair.Queue.Count >= _limits.Window || (!pair.Queue.IsEmpty && pair.Queue.Bytes + body.Length > _limits.WindowBytes))
        {
            // Beyond what it was told that it may send.
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

    /// <summary>PUSH has room: gives it what waits, one message of each ingress in turn.</summary>
    internal void Drain()
    {
        while (_waiting.TryPeek(out EgressPair? pair))
        {
            if (pair.Queue.IsEmpty)
            {
                // Given back or taken back meanwhile.
                _waiting.Dequeue();
                continue;
            }

            ReadOnlySpan<byte> body = pair.Queue.Peek(out MessageShape shape);
            if (!TryHand(body, shape))
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

            NoteTaken(pair, length);
        }
    }

    private bool TryHand(ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (shape.Frames == 0)
        {
            return true;
        }

        if (!_sink.TryTake(body, shape.Frames))
        {
            return false;
        }

        Counters.CountHandedOver(shape.Moved);
        return true;
    }

    private void NoteTaken(EgressPair pair, int bytes)
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

    private EgressPair? PairOf(ReadOnlySpan<byte> ingress)
    {
        var byName = _pairs.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (byName.TryGetValue(ingress, out EgressPair? pair))
        {
            return pair;
        }

        if (_pairs.Count >= _limits.MostPeers && !ForgetSilent())
        {
            Counters.CountRefused();
            return null;
        }

        byte[] name = ingress.ToArray();
        pair = new EgressPair(name, Id, PipelineSubjects.Bytes(_subjects.InPrefix + Encoding.ASCII.GetString(name)), _pool);
        _pairs.Add(name, pair);
        return pair;
    }
}
