using System.Buffers;
using System.Buffers.Text;
using System.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>
/// Publishes messages and waits for their acknowledgements. One subscription receives all acknowledgements: the last
/// token of the reply subject is the number of the message.
/// </summary>
internal sealed partial class AckedPublisher : IDisposable
{
    private const int OnStack = 256;
    private const int MaxNumberLength = 16;
    private const int MaxPooled = 1024;
    private const int NoResponders = 503;

    private readonly BrokerConnection _connection;
    private readonly PublishLimits _limits;
    private readonly StreamsCounters _counters;
    private readonly Lock _gate = new();
    private readonly InFlightTable _table;
    private readonly Stack<PendingPublish> _pool = new();
    private readonly Outcomes _outcomes;
    private readonly AckReader _reader = new();
    private readonly List<PendingPublish> _found = [];
    private readonly string _inbox;
    private readonly byte[] _inboxBytes;
    private readonly Action _startSweeping;
    private readonly Action _sweep;
    private Subscription? _subscription;

    // Whether a message waits for space in the connection's outbound buffer. Others must not overtake it. The source
    // ends its wait; it is null if the server was lost meanwhile.
    private bool _isStalled;
    private CancellationTokenSource? _stall;
    private bool _isSweeping;
    private bool _isClosed;

    internal AckedPublisher(BrokerConnection connection, PublishLimits limits, StreamsCounters counters)
    {
        _connection = connection;
        _limits = limits;
        _counters = counters;
        _table = new InFlightTable(limits.MaxMessages, limits.MaxBytes);
        _outcomes = new Outcomes(connection.Loop);
        _inbox = BrokerConnection.NewInbox(connection.InboxPrefix) + ".";
        _inboxBytes = Encoding.UTF8.GetBytes(_inbox);
        _startSweeping = StartSweeping;
        _sweep = Sweep;
        connection.StateChanged += OnStateChanged;
    }

    internal ValueTask<PublishAck> PublishAsync(
        string subject, ReadOnlyMemory<byte> body, in StreamPublishOptions options, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        RequireSubject(subject);
        RequireHeaderBlock(headers.Span);
        PublishHeaders.Validate(in options);
        PendingPublish publish;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            _subscription ??= _connection.Subscribe(_inbox + "*", ReceiveAck);
            publish = _pool.TryPop(out PendingPublish? free) ? free : new PendingPublish(this);
            publish.Begin(subject, body, headers, in options);
            publish.Began = _counters.BeginPublish();
            if (_isStalled || _table.IsAnyWaiting || !_table.HasRoomFor(publish.Size))
            {
                _table.Wait(publish);
            }
            else
            {
                _table.Add(publish);
                Send(publish);
            }

            if (!_isSweeping)
            {
                _isSweeping = true;
                _connection.Loop.Run(_startSweeping);
            }
        }

        // The message may have an outcome already; the object is not used again before its caller takes the outcome.
        ValueTask<PublishAck> task = publish.Task;
        publish.Observe(cancellationToken);
        return task;
    }

    /// <summary>The number of messages that have no outcome yet.</summary>
    internal int Pending
    {
        get
        {
            lock (_gate)
            {
                return _table.Count;
            }
        }
    }

    internal void Cancel(PendingPublish publish, CancellationToken token) => End(publish, new OperationCanceledException(token));

    internal void Return(PendingPublish publish)
    {
        lock (_gate)
        {
            if (_pool.Count < MaxPooled)
            {
                _pool.Push(publish);
            }
        }
    }

    /// <summary>Ends all messages in flight: their outcome is unknown.</summary>
    public void Dispose()
    {
        _connection.StateChanged -= OnStateChanged;
        Subscription? subscription;
        lock (_gate)
        {
            _isClosed = true;
            subscription = _subscription;
        }

        EndAll("the StreamsClient was disposed");
        subscription?.Dispose();
    }

    private static void RequireSubject(string subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        int most = Encoding.UTF8.GetMaxByteCount(subject.Length);
        Span<byte> bytes = most <= OnStack ? stackalloc byte[OnStack] : new byte[most];
        if (!Subject.IsValidLiteral(bytes[..Encoding.UTF8.GetBytes(subject, bytes)]))
        {
            throw new ArgumentException(
                $"'{subject}' is not a valid subject: it must consist of non-empty tokens separated by dots, without white space or wildcards.", nameof(subject));
        }
    }

    private static void RequireHeaderBlock(ReadOnlySpan<byte> headers)
    {
        if (!headers.IsEmpty && !(headers.StartsWith(HeaderBlock.Version) && headers.EndsWith("\r\n\r\n"u8)))
        {
            throw new ArgumentException("A header block must begin with NATS/1.0 and end with an empty line.", nameof(headers));
        }
    }

    // Called under the lock, so that messages are sent in the order of their calls.
    private void Send(PendingPublish publish)
    {
        publish.Deadline = publish.Retries == 0 ? Environment.TickCount64 + (long)_limits.Timeout.TotalMilliseconds : publish.Deadline;
        if (_isKeeping)
        {
            Keep(publish);
            return;
        }

        int most = Encoding.UTF8.GetMaxByteCount(publish.Subject.Length);
        Span<byte> subject = most <= OnStack ? stackalloc byte[OnStack] : new byte[most];
        subject = subject[..Encoding.UTF8.GetBytes(publish.Subject, subject)];
        Span<byte> reply = stackalloc byte[_inboxBytes.Length + MaxNumberLength];
        _inboxBytes.CopyTo(reply);
        Utf8Formatter.TryFormat(publish.Number, reply[_inboxBytes.Length..], out int digits, new System.Buffers.StandardFormat('x'));
        reply = reply[..(_inboxBytes.Length + digits)];
        PublishStatus status = Pass(publish, subject, reply, onlyConnected: !_isAway);
        if (status == PublishStatus.NotConnected && !_isAway)
        {
            if (_connection.State == ConnectionState.Reconnecting)
            {
                // LoseServer has not run yet. It keeps older messages for the next server, and the connection's buffer
                // would be sent before them.
                Keep(publish);
                return;
            }

            status = Pass(publish, subject, reply, onlyConnected: false);
        }

        publish.WasSent = true;
        if (status != PublishStatus.Accepted)
        {
            _isStalled = true;
            _stall = new CancellationTokenSource(_limits.Timeout);
            _ = SendWhenPossibleAsync(publish, Encoding.UTF8.GetString(reply), publish.Number, _stall);
        }
    }

    private PublishStatus Pass(PendingPublish publish, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> reply, bool onlyConnected)
        => publish.Options.IsEmpty
            ? Pass(subject, publish.Body.Span, reply, publish.Headers.Span, onlyConnected)
            : PassWithOptions(publish, subject, reply, onlyConnected);

    private PublishStatus Pass(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> reply, ReadOnlySpan<byte> headers, bool onlyConnected)
        => onlyConnected
            ? _connection.PublishIfConnected(subject, body, reply, headers)
            : _connection.PublishWithStatus(subject, body, reply, headers);

    private PublishStatus PassWithOptions(PendingPublish publish, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> reply, bool onlyConnected)
    {
        StreamPublishOptions options = publish.Options;
        int most = PublishHeaders.MaxLength(in options, publish.Headers.Length);
        byte[] block = ArrayPool<byte>.Shared.Rent(most);
        try
        {
            int length = PublishHeaders.Write(block, in options, publish.Headers.Span);
            return Pass(subject, publish.Body.Span, reply, block.AsSpan(0, length), onlyConnected);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(block);
        }
    }

    // The connection refused the message. It waits for space, or throws the error that says why it never will be sent.
    private async Task SendWhenPossibleAsync(PendingPublish publish, string reply, long number, CancellationTokenSource limit)
    {
        Exception? failure = null;
        try
        {
            StreamPublishOptions options = publish.Options;
            byte[]? block = options.IsEmpty ? null : new byte[PublishHeaders.MaxLength(in options, publish.Headers.Length)];
            ReadOnlyMemory<byte> headers = block is null ? publish.Headers : block.AsMemory(0, PublishHeaders.Write(block, in options, publish.Headers.Span));
            (string subject, ReadOnlyMemory<byte> body) = (publish.Subject, publish.Body);
            // The caller may hold the lock, and may be the loop.
            await Task.Yield();
            await _connection.PublishAsync(subject, body, reply, headers, limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            failure = new TimeoutException("The message was not sent: the connection's outbound buffer is full (ClientOptions.MaxPendingBytes, ClientOptions.ReconnectBufferSize).");
        }
        catch (Exception e) when (e is ClientException or ArgumentException)
        {
            failure = e;
        }

        bool wasLost;
        lock (_gate)
        {
            wasLost = _stall != limit;
            _stall = null;
            _isStalled = false;
            // LoseServer has ended the message, or keeps it for the next server.
            if (failure is not null && !wasLost && _table.Find(number) is { } found)
            {
                EndUnderGate(found, default, failure);
            }

            SendWaiting();
        }

        // Otherwise LoseServer may still use it.
        if (!wasLost)
        {
            limit.Dispose();
        }
    }

    // Called under the lock.
    private void SendWaiting()
    {
        while (!_isStalled && !_isClosed && _table.TakeWaiting() is { } next)
        {
            _table.Add(next);
            Send(next);
        }
    }

    // Called on the loop.
    private void ReceiveAck(in MessageView message)
    {
        ReadOnlySpan<byte> token = message.Subject[Math.Min(message.Subject.Length, _inboxBytes.Length)..];
        if (!Utf8Parser.TryParse(token, out long number, out int read, 'x') || read != token.Length)
        {
            return;
        }

        lock (_gate)
        {
            if (_table.Find(number) is not { } publish)
            {
                return;
            }

            PublishAck ack = default;
            Exception? failure = null;
            int status = message.Headers.IsEmpty ? 0 : HeaderBlock.Status(message.Headers);
            if (status == NoResponders)
            {
                if (publish.Retries < _limits.Retries)
                {
                    publish.Retries++;
                    publish.Phase = PublishPhase.Retrying;
                    publish.RetryAt = Environment.TickCount64 + (long)_limits.RetryWait.TotalMilliseconds;
                    return;
                }

                failure = new NoStreamException(publish.Subject);
            }
            else if (_reader.Read(message.Body, out ack) is { } error)
            {
                failure = new StreamException(
                    $"The message to '{publish.Subject}'", error.Status, (StreamErrorCode)error.Code, error.Description, publish.Options.ExpectedStream, null);
            }

            EndUnderGate(publish, in ack, failure);
            SendWaiting();
        }
    }

    private void End(PendingPublish publish, Exception failure)
    {
        lock (_gate)
        {
            if (publish.Phase != PublishPhase.Ended)
            {
                EndUnderGate(publish, default, failure);
                SendWaiting();
            }
        }
    }

    private void EndUnderGate(PendingPublish publish, in PublishAck ack, Exception? failure)
    {
        _table.Remove(publish);
        publish.SetOutcome(in ack, failure);
        _counters.EndPublish(publish.Began, ack.IsDuplicate, failure, failure is UnknownOutcomeException);
        _outcomes.Add(publish);
    }
}
