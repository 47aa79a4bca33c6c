using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// The ingress of a pipeline without its sockets. It accepts messages while an egress has capacity, sends each to one
/// of the egresses in turn, and keeps the message until the egress has acknowledged it. Used on the connection's loop.
/// docs/push-pull.md describes the protocol.
/// </summary>
/// <remarks>
/// The windows limit the memory. The ingress sends a message again only on request: an egress that misses a message
/// requests it, and after the loss of a server the ingress sends probes.
/// </remarks>
internal sealed partial class Ingress<TConnection>
    where TConnection : struct, IPipelineConnection
{
    private readonly PipelineSubjects _subjects;
    private readonly PipelineLimits _limits;
    private readonly PipelineMemoryPool _pool;
    private readonly HeaderBuilder _ownHeaders;
    private readonly byte[] _askSubject;
    private readonly IngressLinks _links;
    private readonly OrphanedMessages _orphans;
    private readonly PipelineBudget _budget;
    private TConnection _connection;

    // Whether the connection accepts no messages now.
    private bool _isBlocked;

    // Whether a message was refused, so that OnRoom must be called when there is capacity again.
    private bool _isWanted;
    private long _credit;

    /// <param name="subjects">The subjects of the pipeline.</param>
    /// <param name="id">The name of this ingress, one token.</param>
    /// <param name="connection">The connection.</param>
    /// <param name="pool">The chunk pool of the loop.</param>
    /// <param name="limits">The limits of the pipeline.</param>
    internal Ingress(
        PipelineSubjects subjects, string id, TConnection connection, PipelineMemoryPool pool, PipelineLimits limits)
    {
        _subjects = subjects;
        _limits = limits;
        _pool = pool;
        _connection = connection;
        Id = id;
        _budget = new PipelineBudget(pool, limits.MostBytes);
        _links = new IngressLinks(limits, _budget);
        _orphans = new OrphanedMessages(limits.KeepOrder, _links.Choose);
        _askSubject = PipelineSubjects.Bytes(subjects.Ingresses);
        _ownHeaders = new HeaderBuilder($"Zmq-Ingress: {id}\r\n");
    }

    internal string Id { get; }

    internal IngressCounters Counters { get; } = new();

    /// <summary>
    /// The number of messages that the egresses allowed beyond those of the queues at the last tick. Any thread may
    /// read it.
    /// </summary>
    internal long Credit => Volatile.Read(ref _credit);

    /// <summary>The number of egresses that have answered.</summary>
    internal int Egresses => _links.Count;

    /// <summary>Called when there is capacity again after a message was refused.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>
    /// Called if the connected server can never accept a message. The message then waits for another server.
    /// </summary>
    internal Action<PublishStatus>? OnUnsendable { get; set; }

    /// <summary>Creates a span for each message while a listener collects spans; null for none.</summary>
    internal IngressSpans? Spans { get; init; }

    /// <summary>
    /// Accepts a message. Returns false if there is no capacity; <see cref="OnRoom"/> is called when there is capacity
    /// again.
    /// </summary>
    /// <param name="body">The frame, or several frames with their lengths. It is copied.</param>
    /// <param name="frames">The number of frames.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryAccept(ReadOnlySpan<byte> body, int frames)
        => TryAccept(body, frames, _orphans.IsEmpty ? _links.Choose(body.Length) : null);

    /// <summary>
    /// Accepts a message of a pusher whose messages keep their order. All its messages go to one egress as long as this
    /// egress is connected.
    /// </summary>
    /// <param name="body">The frame, or several frames with their lengths. It is copied.</param>
    /// <param name="frames">The number of frames.</param>
    /// <param name="link">The link that received the previous messages; null before the first one.</param>
    internal bool TryAcceptInOrder(ReadOnlySpan<byte> body, int frames, ref IngressLink? link)
    {
        IngressLink? follows = OrphanedMessages.ResolveSuccessor(link);
        if (_orphans.MustPrecede(follows))
        {
            _isWanted = true;
            return false;
        }

        link = follows;
        IngressLink? chosen = link is null ? _links.Choose(body.Length) : link.HasCredit(body.Length) ? link : null;
        if (!TryAccept(body, frames, chosen))
        {
            return false;
        }

        // The link may also be null after a message that was refused permanently.
        link = chosen ?? link;
        return true;
    }

    private bool TryAccept(ReadOnlySpan<byte> body, int frames, IngressLink? link)
    {
        if (link is null || _isBlocked || !_connection.IsConnected || _budget.IsExhausted)
        {
            _isWanted = true;
            return false;
        }

        if (body.Length + link.Headers.Bound > _connection.MaxPayload)
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

    /// <summary>Sends the queued messages of a link that have not been sent.</summary>
    private void Pump(IngressLink link)
    {
        while (!link.IsPaused && link.Queue.Sent < link.Queue.Count && SendNext(link))
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

        // A message that is sent again gets no span.
        Activity? span = Spans is { HasListeners: true } && number > link.HighestSent
            ? Spans.Begin(headers, body.Length)
            : null;
        PublishStatus status = _connection.Publish(link.Subject, headers.Finish(), body);
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
            // The message was accepted while another server was connected. Its number must still arrive, so the ingress
            // sends an empty message.
            status = _connection.Publish(
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

        // The connection notifies the ingress when it accepts messages again or when another server is connected.
        _isBlocked = true;
        return false;
    }

    private void NotifyRoom()
    {
        if (_isWanted && !_isBlocked && (_orphans.IsEmpty || _limits.KeepOrder) && _connection.IsConnected)
        {
            _isWanted = false;
            OnRoom?.Invoke();
        }
    }
}
