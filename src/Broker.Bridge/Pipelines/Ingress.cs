using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Bridge.Mapping;
using Broker.Bridge.Tracing;
using Broker.Client.Publishing;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// The ingress of a pipeline, without its sockets: takes messages while an egress has room for them, gives each to one of these in turn, and
/// keeps it until that one has acknowledged it. All on the connection's loop; docs/push-pull.md is the protocol.
/// </summary>
/// <remarks>
/// The memory is bounded by the windows. Nothing is sent again unasked: an egress that misses something says so, and after a loss it is
/// asked what it has.
/// </remarks>
internal sealed partial class Ingress<TWire>
    where TWire : struct, IPipelineWire
{
    private readonly PipelineSubjects _subjects;
    private readonly PipelineLimits _limits;
    private readonly ChunkPool _pool;
    private readonly HeaderBuilder _ownHeaders;
    private readonly byte[] _askSubject;
    private readonly List<IngressLink> _links = [];
    private readonly Dictionary<long, IngressLink> _byNumber = [];
    private readonly Dictionary<byte[], IngressLink> _byEgress = new(new ByteStringComparer());
    private readonly LinkedList<(IngressLink From, MessageQueue Messages, long PerhapsTaken)> _orphans = [];
    private TWire _wire;
    private long _lastNumber;
    private int _next;

    // The connection takes no more for now.
    private bool _isBlocked;

    // Somebody was refused, and is to be told when there is room.
    private bool _isWanted;

    /// <param name="subjects">The pipeline's.</param>
    /// <param name="id">Its name, one token.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="pool">The loop's.</param>
    /// <param name="limits">What bounds it.</param>
    internal Ingress(PipelineSubjects subjects, string id, TWire wire, ChunkPool pool, PipelineLimits limits)
    {
        _subjects = subjects;
        _limits = limits;
        _pool = pool;
        _wire = wire;
        Id = id;
        _askSubject = PipelineSubjects.Bytes(subjects.Ingresses);
        _ownHeaders = new HeaderBuilder($"Zmq-Ingress: {id}\r\n");
    }

    internal string Id { get; }

    internal IngressCounters Counters { get; } = new();

    /// <summary>How many egresses it knows.</summary>
    internal int Egresses => _links.Count;

    /// <summary>Called when a message was refused and there is room again.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>Called when the present server will not take a message at any time, which waits for another then.</summary>
    internal Action<PublishStatus>? OnUnsendable { get; set; }

    /// <summary>Makes a span for each message while somebody listens; null for none.</summary>
    internal IngressSpans? Spans { get; init; }

    /// <summary>Takes a message, or says that there is no room for it now; then <see cref="OnRoom"/> tells when there is.</summary>
    /// <param name="body">The frame, or the frames with their lengths before them. Copied.</param>
    /// <param name="frames">How many frames it is.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryAccept(ReadOnlySpan<byte> body, int frames)
        => TryAccept(body, frames, _orphans.Count == 0 ? Choose(body.Length) : null);

    /// <summary>The same for a pusher whose messages keep their order: they go to one egress as long as that is there.</summary>
    /// <param name="body">The frame, or the frames with their lengths before them. Copied.</param>
    /// <param name="frames">How many frames it is.</param>
    /// <param name="link">Where its messages went so far; null before the first.</param>
    internal bool TryAcceptInOrder(ReadOnlySpan<byte> body, int frames, ref IngressLink? link)
    {
        IngressLink? follows = Follow(link);
        if (_orphans.Count != 0 && IsBehindOrphans(follows))
        {
            _isWanted = true;
            return false;
        }

        link = follows;
        IngressLink? chosen = link is null ? Choose(body.Length) : link.HasCredit(body.Length) ? link : null;
        if (!TryAccept(body, frames, chosen))
        {
            return false;
        }

        // Null too for one that was refused for good.
        link = chosen ?? link;
        return true;
    }

    private bool TryAccept(ReadOnlySpan<byte> body, int frames, IngressLink? link)
    {
        if (link is null || _isBlocked || !_wire.IsConnected)
        {
            _isWanted = true;
            return false;
        }

        if (body.Length + link.Headers.Bound > _wire.MaxPayload)
        {
            Counters.CountRefused();
            return true;
        }

        link.Queue.Add(body, new MessageShape(frames));
        Counters.CountAccepted();
        if (link.Queue.Sent == link.Queue.Count - 1)
        {
            SendNext(link);
        }

        return true;
    }

    // The next in turn that has room for it.
    private IngressLink? Choose(int size)
    {
        for (int left = _links.Count; left > 0; left--)
        {
            if (_next >= _links.Count)
            {
                _next = 0;
            }

            IngressLink link = _links[_next++];
            if (link.HasCredit(size))
            {
                return link;
            }
        }

        return null;
    }

    /// <summary>Sends what has been given to a link and could not be sent.</summary>
    private void Pump(IngressLink link)
    {
        while (!link.IsHeld && link.Queue.Sent < link.Queue.Count && SendNext(link))
        {
        }
    }

    private bool SendNext(IngressLink link)
    {
        ReadOnlySpan<byte> body = link.Queue.PeekUnsent(out MessageShape shape);
        long number = link.Sent + 1;
        HeaderBuilder headers = link.Headers.Begin().Line("Zmq-Seq: "u8, number);
        if (shape.Frames != 1)
        {
            headers.Line("Zmq-Frames: "u8, shape.Frames);
        }

        if (shape.Moved)
        {
            headers.Line("Zmq-Moved: "u8, 1);
        }

        // What is sent again is so without one.
        Activity? span = Spans is { IsHeard: true } && number > link.HighestSent ? Spans.Begin(headers, body.Length) : null;
        PublishStatus status = _wire.Publish(link.Subject, headers.Finish(), body);
        if (span is not null)
        {
            BridgeTracer.End(span, status);
        }

        if (status != PublishStatus.Accepted)
        {
            return NotSent(link, status, number);
        }

        MarkSent(link, number);
        return true;
    }

    private void MarkSent(IngressLink link, long number)
    {
        link.Queue.MarkSent();
        Counters.CountPublished();
        if (number > link.HighestSent)
        {
            link.HighestSent = number;
        }
        else
        {
            Counters.CountResent(1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NotSent(IngressLink link, PublishStatus status, long number)
    {
        if (status == PublishStatus.PayloadTooLarge)
        {
            // Another server than the one that it was accepted under. Its number must come all the same.
            status = _wire.Publish(
                link.Subject, link.Headers.Begin().Line("Zmq-Seq: "u8, number).Line("Zmq-Frames: "u8, 0).Finish(), default);
            if (status == PublishStatus.Accepted)
            {
                if (number > link.HighestSent)
                {
                    Counters.CountGivenUp();
                }

                MarkSent(link, number);
                return true;
            }
        }

        if (status is PublishStatus.HeadersNotSupported or PublishStatus.SubjectTooLong)
        {
            OnUnsendable?.Invoke(status);
        }

        // The connection tells when it takes more, or when there is another server.
        _isBlocked = true;
        return false;
    }

    private void TellRoom()
    {
        if (_isWanted && !_isBlocked && (_orphans.Count == 0 || _limits.KeepOrder) && _wire.IsConnected)
        {
            _isWanted = false;
            OnRoom?.Invoke();
        }
    }
}
