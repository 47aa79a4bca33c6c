using System.Buffers.Text;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Publishes requests and returns the replies. One subscription receives all replies, on the subjects
/// <c>inbox.number</c>. While requests are pending, one timer of the loop ends those whose deadline has passed.
/// </summary>
internal sealed class Requester
{
    private const int MaxPooled = 256;

    private const int MaxNumberLength = 20;

    // The interval between two searches for expired requests is at least 1 ms for this many pending requests. With
    // that, the searches cost a few tenths of a percent of the time.
    private const int RequestsPerMillisecond = 1000;

    private readonly ConnectionCore _core;
    private readonly RequestTable _table = new();
    private readonly string _prefix;
    private readonly byte[] _prefixBytes;
    private readonly Lock _inboxGate = new();
    private readonly Stack<SingleRequest> _free = new();
    private readonly List<AwaitedRequest> _expired = [];
    private readonly Action _startSweep;
    private readonly Action _sweep;
    private Subscription? _inbox;
    private LoopTimer? _timer;

    /// <param name="core">The connection.</param>
    /// <param name="inbox">The prefix of the reply subjects, with a dot at the end.</param>
    internal Requester(ConnectionCore core, string inbox)
    {
        _core = core;
        _prefix = inbox;
        _prefixBytes = Encoding.UTF8.GetBytes(inbox);
        _startSweep = StartSweep;
        _sweep = Sweep;
    }

    internal static string NewInbox(string prefix) => $"{prefix}.{RandomNumberGenerator.GetHexString(24, lowercase: true)}";

    internal static TimeoutException TimeoutOf(string subject) => new($"No reply to the request to '{subject}' came in time.");

    internal static long DeadlineIn(TimeSpan time)
        => time == Timeout.InfiniteTimeSpan ? AwaitedRequest.Never : Environment.TickCount64 + (long)Math.Ceiling(time.TotalMilliseconds);

    /// <summary>The number of pending requests. It may have changed by the time the caller uses it.</summary>
    internal int Pending => _table.Pending;

    /// <summary>Runs the continuations of awaited requests.</summary>
    internal Continuations Continuations { get; } = new();

    internal bool IsAwaited(long number) => _table.Find(number) is not null;

    internal ValueTask<Message> RequestAsync(
        string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        Send(request, subject, body, timeout, headers, watched: true);
        request.Observe(cancellationToken);
        return request.Task;
    }

    internal Message Request(
        string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        if (_core.CurrentLoop() is { } loop)
        {
            return RequestOnCallerDrivenLoop(loop, subject, body, timeout, headers, cancellationToken);
        }

        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        request.Block();
        Send(request, subject, body, timeout, headers, watched: false);
        return request.Wait(timeout, cancellationToken);
    }

    // A thread that drives the loop itself runs iterations until the reply has come. Only the reply wakes this thread.
    private Message RequestOnCallerDrivenLoop(
        EventLoop loop, string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        if (!loop.IsCallerDriven)
        {
            throw new InvalidOperationException("An event loop must not wait for a reply that the loop itself would receive.");
        }

        // This throws if the caller is a handler, because its iteration must end before another one can begin.
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
        try
        {
            while (await request.Replies.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
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

    /// <summary>
    /// Records that a request has failed. Without a server, this prevents that the request is sent to the next server.
    /// </summary>
    internal void NoteCancelled()
    {
        if (_core.Link is null)
        {
            lock (_core.Gate)
            {
                _core.ReconnectBuffer.NoteCancelledRequest();
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

    internal void FailAll(Exception reason)
    {
        foreach (AwaitedRequest request in _table.TakeAll())
        {
            request.Fail(reason);
        }

        // Otherwise the timer would keep the connection in memory until the last deadline of these requests.
        _core.Loop.Run(_startSweep);
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
        SingleRequest request, string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, bool watched)
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
    private void Publish(AwaitedRequest request, string subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using var subjectBytes = new SubjectBytes(subject, stackalloc byte[SubjectBytes.OnStack], nameof(subject));
        SubjectBytes.RequireHeaderBlock(headers);
        EnsureInbox();
        request.Subject = subject;
        bool isSooner = _table.Add(request);
        Span<byte> replyTo = stackalloc byte[_prefixBytes.Length + MaxNumberLength];
        _prefixBytes.CopyTo(replyTo);
        Utf8Formatter.TryFormat(request.Number, replyTo[_prefixBytes.Length..], out int digits);
        // If this is the only pending request, its own thread sends it, because waking the loop took longer. If there
        // are several, the loop sends many at a time.
        PublishStatus status = _core.Publisher.TryPublish(
            subjectBytes.Span, body, replyTo[..(_prefixBytes.Length + digits)], headers, atOnce: _table.Pending <= 1);
        // The loss of the server may have failed the request already. The caller then gets that outcome.
        if (status != PublishStatus.Accepted && _table.TryTake(request, request.Number))
        {
            throw ExceptionFor(status, headers.Length + body.Length);
        }

        if (isSooner)
        {
            _core.Loop.Run(_startSweep);
        }
    }

    private ClientException ExceptionFor(PublishStatus status, int payloadLength) => status switch
    {
        PublishStatus.Dropped or PublishStatus.NotConnected => new ConnectionLostException("No server is connected."),
        PublishStatus.Closed => new ConnectionLostException("The connection is closed."),
        _ => _core.Publisher.CreateRefusal(status, payloadLength),
    };

    private void EnsureInbox()
    {
        if (Volatile.Read(ref _inbox) is not null)
        {
            return;
        }

        lock (_inboxGate)
        {
            _inbox ??= _core.Subscriber.Subscribe(_prefix + "*", ReceiveReply, null, null);
        }
    }

    // Called on the loop.
    private void ReceiveReply(in MessageView message)
    {
        ReadOnlySpan<byte> number = message.Subject[Math.Min(message.Subject.Length, _prefixBytes.Length)..];
        if (Utf8Parser.TryParse(number, out long value, out int read) && read == number.Length)
        {
            _table.Find(value)?.ReceiveReply(in message, value, _table);
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
            _timer = _core.Loop.StartTimer(TimeSpan.FromMilliseconds(wait), _sweep);
        }
    }
}
