using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Publishes requests and returns the replies. One subscription receives all replies, on the subjects
/// <c>inbox.token</c> (<see cref="RequestToken"/>). While requests are pending, one timer of the loop ends the requests
/// whose deadline has passed.
/// </summary>
internal sealed class Requester
{
    private const int MaxPooled = 256;

    // The interval between two searches for expired requests is at least 1 ms for each 1,000 pending requests. The
    // searches then take a few tenths of a percent of the loop's time.
    private const int RequestsPerMillisecond = 1000;

    private readonly SharedState _shared;
    private readonly MessagePublisher _publisher;
    private readonly SubscriptionManager _subscriber;
    private readonly ReconnectBuffer _reconnectBuffer;
    private readonly RequestTable _table = new();
    private readonly string _prefix;
    private readonly byte[] _prefixBytes;
    private readonly Lock _inboxGate = new();
    private readonly Stack<SingleRequest> _free = new();
    private readonly List<AwaitedRequest> _expired = [];
    private readonly Action _startSweep;
    private readonly Action _sweep;
    private readonly BlockedLoopWatch _watch;
    private Subscription? _inbox;
    private LoopTimer? _timer;

    /// <param name="shared">The state of the connection.</param>
    /// <param name="publisher">Sends the requests.</param>
    /// <param name="subscriber">Subscribes to the replies.</param>
    /// <param name="reconnectBuffer">Keeps requests for the next server.</param>
    /// <param name="events">Learns of a blocked loop.</param>
    /// <param name="inbox">The prefix of the reply subjects, with a dot at the end.</param>
    internal Requester(
        SharedState shared, MessagePublisher publisher, SubscriptionManager subscriber, ReconnectBuffer reconnectBuffer, IConnectionEvents events, string inbox)
    {
        _shared = shared;
        _publisher = publisher;
        _subscriber = subscriber;
        _reconnectBuffer = reconnectBuffer;
        _prefix = inbox;
        _prefixBytes = Encoding.UTF8.GetBytes(inbox);
        Refusals = new RequestRefusals(shared.Loop, _table, inbox);
        _watch = new BlockedLoopWatch(shared.Loop, events, _table);
        Continuations = new Continuations(shared.Loop, publisher);
        _startSweep = StartSweep;
        _sweep = Sweep;
    }

    internal static string NewInbox(string prefix) => $"{prefix}.{RandomNumberGenerator.GetHexString(24, lowercase: true)}";

    internal static TimeoutException TimeoutOf(string subject, bool loopIsBlocked = false) => new(loopIsBlocked
        ? $"No reply to the request to '{subject}' could be received in time, because a handler blocks the connection's event loop. If the handler waits for this reply, it must use await instead of blocking."
        : $"No reply to the request to '{subject}' came in time.");

    internal static long DeadlineIn(TimeSpan time)
        => time == Timeout.InfiniteTimeSpan ? AwaitedRequest.Never : Environment.TickCount64 + (long)Math.Ceiling(time.TotalMilliseconds);

    /// <summary>The number of pending requests. It may have changed by the time the caller uses it.</summary>
    internal int Pending => _table.Pending;

    /// <summary>The subscription that receives the replies. Null before the first request.</summary>
    internal Subscription? Inbox => Volatile.Read(ref _inbox);

    /// <summary>Runs the continuations of awaited requests.</summary>
    internal Continuations Continuations { get; }

    /// <summary>The requests that the server has refused.</summary>
    internal RequestRefusals Refusals { get; }

    internal bool IsAwaited(long number) => _table.Find(number) is not null;

    internal ValueTask<Message> RequestAsync(
        string subject, OutboundBody body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        Send(request, subject, body, timeout, headers, watched: true);
        request.Observe(cancellationToken);
        return request.Task;
    }

    internal Message Request(
        string subject, OutboundBody body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        if (_shared.CurrentLoop() is { } loop)
        {
            return RequestOnCallerDrivenLoop(loop, subject, body, timeout, headers, cancellationToken);
        }

        if (EventLoop.IsLoopThread)
        {
            throw new InvalidOperationException(
                "An event loop must not wait for a reply, because all its connections would wait too. Await RequestAsync in its place, or call Request on another thread.");
        }

        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        request.Block();
        Send(request, subject, body, timeout, headers, watched: false);
        return request.Wait(timeout, cancellationToken);
    }

    // A thread that drives the loop itself runs iterations until the reply has come. Only the reply wakes this thread.
    private Message RequestOnCallerDrivenLoop(
        EventLoop loop, string subject, OutboundBody body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        if (!loop.IsCallerDriven)
        {
            throw new InvalidOperationException("An event loop must not wait for a reply that the loop itself would receive.");
        }

        // This throws if the caller is a handler: the iteration that runs the handler must end before another one can
        // begin.
        loop.Attach();
        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        request.Block(loop);
        Send(request, subject, body, timeout, headers, watched: true);
        request.Observe(cancellationToken);
        return request.DriveLoop(loop);
    }

    internal async IAsyncEnumerable<Message> RequestManyAsync(
        string subject, ReadOnlyMemory<byte> body, RequestManyOptions options, ReadOnlyMemory<byte> headers,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var request = new ManyRequest(this, options);
        Publish(request, subject, body.Span, headers.Span);
        // The reader checks its token only when no reply waits, and replies may keep coming. So the token is also
        // observed here.
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            (_, token) => Cancel(request, new OperationCanceledException(token)), null);
        try
        {
            while (await request.Replies.WaitToReadAsync(CancellationToken.None).ConfigureAwait(false))
            {
                while (request.Replies.TryRead(out Message reply))
                {
                    yield return reply;
                }
            }
        }
        finally
        {
            if (_table.TryTake(request, request.Number))
            {
                NoteCancelled();
            }
        }
    }

    /// <summary>
    /// Removes a request that its caller has cancelled, if it has no outcome yet. May be called on any thread.
    /// </summary>
    internal void Cancel(AwaitedRequest request, Exception reason)
    {
        if (_table.TryTake(request, request.Number))
        {
            NoteCancelled();
            request.Fail(reason);
        }
    }

    /// <summary>Ends the pending request of this number. Returns false if there is none.</summary>
    internal bool TryFail(long number, Exception reason) => _table.TryFail(number, reason);

    /// <summary>
    /// Records that a request has failed. If no server is connected, the request is then not sent to the next server.
    /// </summary>
    internal void NoteCancelled()
    {
        if (_shared.Link is null)
        {
            lock (_shared.Gate)
            {
                _reconnectBuffer.NoteCancelledRequest();
            }
        }
    }

    /// <summary>Changes the deadline of a request. Called on the loop.</summary>
    internal void SetDeadline(AwaitedRequest request, long deadline)
    {
        if (_table.SetDeadline(request, deadline))
        {
            StartSweep();
        }
    }

    /// <summary>Ends all pending requests, each with an exception of its own.</summary>
    internal void FailAll(Exception cause)
    {
        foreach (AwaitedRequest request in _table.TakeAll())
        {
            request.FailWithOthers(cause);
        }

        // Otherwise the timer would keep the connection in memory until the last deadline of these requests.
        _shared.Loop.Run(_startSweep);
    }

    internal void Return(SingleRequest request)
    {
        lock (_free)
        {
            if (_free.Count < MaxPooled)
            {
                _free.Push(request);
            }
        }
    }

    private SingleRequest Take()
    {
        lock (_free)
        {
            if (_free.TryPop(out SingleRequest? request))
            {
                return request;
            }
        }

        return new SingleRequest(this);
    }

    private void Send(
        SingleRequest request, string subject, OutboundBody body, TimeSpan timeout, ReadOnlySpan<byte> headers, bool watched)
    {
        try
        {
            if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            {
                throw new ArgumentOutOfRangeException(nameof(timeout));
            }

            request.Deadline = watched ? DeadlineIn(timeout) : AwaitedRequest.Never;
            Publish(request, subject, body, headers);
        }
        catch
        {
            request.Recycle();
            throw;
        }
    }

    // If this throws, the request is in no table and nothing was sent.
    private void Publish(AwaitedRequest request, string subject, OutboundBody body, ReadOnlySpan<byte> headers)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using var subjectBytes = new SubjectBytes(subject, stackalloc byte[SubjectBytes.OnStack], nameof(subject));
        SubjectBytes.RequireHeaderBlock(headers);
        Refusals.ThrowIfInboxIsRefused();
        EnsureInbox();
        request.Subject = subject;
        bool isSooner = _table.Add(request);
        if (request.Deadline != AwaitedRequest.Never)
        {
            _watch.Arm();
        }

        Span<byte> replyTo = stackalloc byte[_prefixBytes.Length + RequestToken.MaxLength];
        _prefixBytes.CopyTo(replyTo);
        int token = RequestToken.Write(replyTo[_prefixBytes.Length..], request.Secret, request.Number);
        // If this is the only pending request, its own thread sends it, because waking the loop took longer. If there
        // are several, the loop sends many at a time.
        PublishStatus status = _publisher.PublishWithStatus(
            subjectBytes.Span, body, replyTo[..(_prefixBytes.Length + token)], headers, _table.Pending <= 1 ? SendMode.AtOnce : SendMode.Usual);
        // The loss of the server may have failed the request already. The caller then gets the error of that loss.
        if (status != PublishStatus.Accepted && _table.TryTake(request, request.Number))
        {
            throw ExceptionFor(status, headers.Length + body.Length);
        }

        if (isSooner)
        {
            _shared.Loop.Run(_startSweep);
        }
    }

    private ClientException ExceptionFor(PublishStatus status, int payloadLength) => status switch
    {
        PublishStatus.Dropped or PublishStatus.NotConnected => new ConnectionLostException("No server is connected."),
        PublishStatus.Closed => new ConnectionLostException("The connection is closed."),
        _ => _publisher.CreateRefusal(status, payloadLength),
    };

    private void EnsureInbox()
    {
        if (Volatile.Read(ref _inbox) is not null)
        {
            return;
        }

        lock (_inboxGate)
        {
            _inbox ??= _subscriber.Subscribe(_prefix + "*", ReceiveReply, null, null);
        }
    }

    // Called on the loop.
    private void ReceiveReply(in MessageView message)
    {
        ReadOnlySpan<byte> token = message.Subject[Math.Min(message.Subject.Length, _prefixBytes.Length)..];
        if (RequestToken.TryRead(token, out ulong secret, out long number))
        {
            _table.Find(number, secret)?.ReceiveReply(in message, number, _table);
        }
    }

    // Called on the loop.
    private void StartSweep()
    {
        _timer?.Cancel();
        _timer = null;
        Sweep();
    }

    // Called on the loop.
    private void Sweep()
    {
        long now = Environment.TickCount64;
        long next = _table.TakeExpired(now, _expired);
        foreach (AwaitedRequest request in _expired)
        {
            request.TimeOut();
        }

        _expired.Clear();
        if (next != AwaitedRequest.Never)
        {
            long wait = Math.Max(next - now, _table.Pending / RequestsPerMillisecond);
            _timer = _shared.Loop.StartTimer(TimeSpan.FromMilliseconds(wait), _sweep);
        }
    }
}
