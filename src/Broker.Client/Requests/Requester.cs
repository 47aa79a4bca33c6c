using System.Buffers.Text;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Broker.Client.Errors;
using Broker.Client.Publishing;
using Broker.Client.Subscriptions;
using Broker.Transport;

namespace Broker.Client.Requests;

/// <summary>
/// Publishes requests and gives the answers to who waits. All answers come by one subscription, to <c>inbox.number</c>; one timer
/// of the loop, while anybody waits, gives up those whose time is over.
/// </summary>
internal sealed class Requester
{
    private const int MostKept = 256;

    private const int LongestNumber = 20;

    // At so many that wait for each millisecond between two looks at all deadlines these cost some tenths of a percent.
    private const int PerMillisecond = 1000;

    private readonly ConnectionCore _core;
    private readonly RequestTable _table = new();
    private readonly string _prefix;
    private readonly byte[] _prefixBytes;
    private readonly Lock _inboxGate = new();
    private readonly Stack<SingleRequest> _free = new();
    private readonly List<PendingReply> _expired = [];
    private readonly Action _startSweep;
    private readonly Action _sweep;
    private Subscription? _inbox;
    private LoopTimer? _timer;

    /// <param name="core">The connection.</param>
    /// <param name="inbox">What the subjects for answers begin with, with a dot at the end.</param>
    internal Requester(ConnectionCore core, string inbox)
    {
        _core = core;
        _prefix = inbox;
        _prefixBytes = Encoding.UTF8.GetBytes(inbox);
        _startSweep = StartSweep;
        _sweep = Sweep;
    }

    internal static string NewInbox(string prefix) => $"{prefix}.{RandomNumberGenerator.GetHexString(24, lowercase: true)}";

    internal static TimeoutException TimeoutOf(string subject) => new($"No answer to the request to '{subject}' came in time.");

    internal static long DeadlineIn(TimeSpan time)
        => time == Timeout.InfiniteTimeSpan ? PendingReply.Never : Environment.TickCount64 + (long)Math.Ceiling(time.TotalMilliseconds);

    /// <summary>How many wait for answers. A moment's truth.</summary>
    internal int Waiting => _table.Waiting;

    /// <summary>Where those who await their answers go on.</summary>
    internal Continuations Continuations { get; } = new();

    internal bool IsAwaited(long number) => _table.Find(number) is not null;

    internal ValueTask<Message> RequestAsync(
        string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        Send(request, subject, body, timeout, headers, watched: true);
        request.WatchFor(cancellationToken);
        return request.Task;
    }

    internal Message Request(
        string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        if (_core.CurrentLoop() is { } loop)
        {
            return RequestTurning(loop, subject, body, timeout, headers, cancellationToken);
        }

        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        request.Block();
        Send(request, subject, body, timeout, headers, watched: false);
        return request.Wait(timeout, cancellationToken);
    }

    // A thread that turns the loop itself goes on with that until the answer has come: it is woken by the answer and by nobody else.
    private Message RequestTurning(
        EventLoop loop, string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        if (!loop.IsCallerDriven)
        {
            throw new InvalidOperationException("An event loop must not wait for an answer that comes by it.");
        }

        // Throws where the caller is a handler, whose turn has to end before there can be another.
        loop.Attach();
        cancellationToken.ThrowIfCancellationRequested();
        SingleRequest request = Take();
        request.Block(loop);
        Send(request, subject, body, timeout, headers, watched: true);
        request.WatchFor(cancellationToken);
        return request.Turn(loop);
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
            while (await request.Answers.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
            {
                while (request.Answers.TryRead(out Message answer))
                {
                    yield return answer;
                }
            }
        }
        finally
        {
            if (_table.TryTake(request, request.Number))
            {
                NoteGivenUp();
            }
        }
    }

    /// <summary>Takes a request out that nobody waits for any more, if it has no outcome yet. Any thread.</summary>
    internal void GiveUp(PendingReply request, Exception reason)
    {
        if (_table.TryTake(request, request.Number))
        {
            NoteGivenUp();
            request.Fail(reason);
        }
    }

    /// <summary>A request that was kept for the next server is not sent to it when its caller has been told that it failed.</summary>
    internal void NoteGivenUp()
    {
        if (_core.Link is null)
        {
            lock (_core.Gate)
            {
                _core.Replay.NoteGivenUp();
            }
        }
    }

    /// <summary>On the loop.</summary>
    internal void SetDeadline(PendingReply request, long deadline)
    {
        if (_table.SetDeadline(request, deadline))
        {
            StartSweep();
        }
    }

    internal void FailAll(Exception reason)
    {
        foreach (PendingReply request in _table.TakeAll())
        {
            request.Fail(reason);
        }

        // Or the timer would hold the connection until the last deadline of those.
        _core.Loop.Run(_startSweep);
    }

    internal void Return(SingleRequest request)
    {
        lock (_free)
        {
            if (_free.Count < MostKept)
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

            request.Deadline = watched ? DeadlineIn(timeout) : PendingReply.Never;
            Publish(request, subject, body, headers);
        }
        catch
        {
            request.Recycle();
            throw;
        }
    }

    // When it throws the request is in no table, and nothing was sent.
    private void Publish(PendingReply request, string subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using var subjectBytes = new SubjectBytes(subject, stackalloc byte[SubjectBytes.OnStack], nameof(subject));
        SubjectBytes.RequireHeaderBlock(headers);
        EnsureInbox();
        request.Subject = subject;
        bool isSooner = _table.Add(request);
        Span<byte> replyTo = stackalloc byte[_prefixBytes.Length + LongestNumber];
        _prefixBytes.CopyTo(replyTo);
        Utf8Formatter.TryFormat(request.Number, replyTo[_prefixBytes.Length..], out int digits);
        // One that nobody else asks beside is sent by its own thread: to wake the loop for it took longer. Of several the loop sends many at
        // a time.
        PublishStatus status = _core.Publisher.TryPublish(
            subjectBytes.Span, body, replyTo[..(_prefixBytes.Length + digits)], headers, atOnce: _table.Waiting <= 1);
        // A loss of the server may have failed it already; then its outcome waits to be taken.
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
        _ => _core.Publisher.Refusal(status, payloadLength),
    };

    private void EnsureInbox()
    {
        if (Volatile.Read(ref _inbox) is not null)
        {
            return;
        }

        lock (_inboxGate)
        {
            _inbox ??= _core.Subscriber.Subscribe(_prefix + "*", TakeAnswer, null, null);
        }
    }

    // On the loop.
    private void TakeAnswer(in MessageView message)
    {
        ReadOnlySpan<byte> number = message.Subject[Math.Min(message.Subject.Length, _prefixBytes.Length)..];
        if (Utf8Parser.TryParse(number, out long value, out int read) && read == number.Length)
        {
            _table.Find(value)?.Take(in message, value, _table);
        }
    }

    // On the loop.
    private void StartSweep()
    {
        _timer?.Cancel();
        _timer = null;
        Sweep();
    }

    // On the loop.
    private void Sweep()
    {
        long now = Environment.TickCount64;
        long next = _table.TakeExpired(now, _expired);
        foreach (PendingReply request in _expired)
        {
            request.TimeOut();
        }

        _expired.Clear();
        if (next != PendingReply.Never)
        {
            long wait = Math.Max(next - now, _table.Waiting / PerMillisecond);
            _timer = _core.Loop.StartTimer(TimeSpan.FromMilliseconds(wait), _sweep);
        }
    }
}
