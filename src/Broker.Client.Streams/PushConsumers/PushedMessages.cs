using System.Buffers.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>
/// Reads messages of a stream in order, from an ephemeral push consumer. After a gap, a missed heartbeat or a reconnect
/// it creates another consumer, which begins after the last message that was read. Used by one reader at a time.
/// </summary>
/// <remarks>
/// The server asks now and then whether the reader has read what it sent, and it sends no more than a window meanwhile.
/// The reader answers when it comes to the question, so the window also bounds the memory of a slow reader.
/// </remarks>
internal sealed class PushedMessages : IDisposable
{
    private const int MissedHeartbeats = 2;

    // The server's code for a consumer of last messages that has no filter.
    private const int FilterIsMissing = 10094;

    private const string NoSeveralFilters
        = "The server does not know several filters of a consumer. It needs nats-server 2.10: use one filter with wildcards.";

    // Larger than a server's window of 32 MiB. Messages of any size may wait, so only the bytes are bounded.
    private static readonly QueueOptions Queue = new() { MaxMessages = int.MaxValue, MaxBytes = 64L * 1024 * 1024 };

    private readonly ConsumerManager _consumers;
    private readonly BrokerConnection _connection;
    private readonly string _stream;
    private readonly ConsumerConfig _template;
    private readonly ConnectedSignal _connected;
    private readonly Lock _gate = new();
    private QueuedSubscription? _subscription;
    private string? _consumer;
    private CancellationTokenSource _limit = new();
    private ulong _deliveries;

    // The sequence at which a next consumer begins. 0 for the beginning of the template.
    private ulong _next;

    // Whether the server of the subscription was lost. Under the gate.
    private bool _isLost;
    private bool _wasStarted;

    /// <param name="consumers">Creates the consumers.</param>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="template">Which messages the consumer delivers, and its heartbeat. The rest is added.</param>
    internal PushedMessages(ConsumerManager consumers, string stream, ConsumerConfig template)
    {
        _consumers = consumers;
        _connection = consumers.Api.Connection;
        _stream = stream;
        _template = template with
        {
            AckPolicy = AckPolicy.None,
            MaxDeliver = 1,
            MemoryStorage = true,
            Replicas = 1,
            FlowControl = true,
        };
        _connected = new ConnectedSignal(_connection);
        _connection.StateChanged += OnStateChanged;
    }

    private TimeSpan SilenceLimit => _template.IdleHeartbeat * MissedHeartbeats;

    /// <summary>Returns the next message or event.</summary>
    /// <exception cref="StreamException">The stream is gone, or the server refused the consumer.</exception>
    /// <exception cref="ConnectionLostException">The connection has closed, or there was none for the first
    /// consumer.</exception>
    internal async ValueTask<PushedItem> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (_subscription is not { } subscription)
            {
                return new PushedItem(PushedKind.Started, await StartAsync(cancellationToken).ConfigureAwait(false));
            }

            while (subscription.Reader.TryRead(out Message message))
            {
                PushedItem item = Read(in message, out bool isGap);
                if (isGap)
                {
                    Stop();
                    break;
                }

                if (item.Kind != PushedKind.Ended)
                {
                    return item;
                }
            }

            if (_subscription is not null && !await WaitAsync(subscription, cancellationToken).ConfigureAwait(false))
            {
                return default;
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _connection.StateChanged -= OnStateChanged;
        _connected.Dispose();
        Stop();
        _limit.Dispose();
    }

    // Returns an item of the kind Ended for a message that the reader needs not know of.
    private PushedItem Read(in Message message, out bool isGap)
    {
        isGap = false;
        ReadOnlySpan<byte> headers = message.Headers.Span;
        if (!headers.IsEmpty && HeaderBlock.Status(headers) != 0)
        {
            return ReadStatus(in message, out isGap);
        }

        if (!PushedPlace.TryParse(message.ReplyToBytes.Span, out PushedPlace place))
        {
            return default;
        }

        isGap = place.ConsumerSequence != _deliveries + 1;
        if (isGap)
        {
            return default;
        }

        _deliveries++;
        _next = place.Sequence + 1;
        return new PushedItem(PushedKind.Message, place.Pending, message, place);
    }

    private PushedItem ReadStatus(in Message message, out bool isGap)
    {
        isGap = false;
        if (!message.ReplyToBytes.IsEmpty)
        {
            // The server waits for this answer before it sends more. A loss of the answer is a loss of the server.
            _connection.PublishWithStatus(message.ReplyToBytes.Span, default);
            return default;
        }

        ReadOnlySpan<byte> headers = message.Headers.Span;
        if (HeaderBlock.TryGet(headers, "Nats-Consumer-Stalled"u8, out ReadOnlySpan<byte> stalled))
        {
            _connection.PublishWithStatus(stalled, default);
            return default;
        }

        if (!HeaderBlock.TryGet(headers, "Nats-Last-Consumer"u8, out ReadOnlySpan<byte> text)
            || !Utf8Parser.TryParse(text, out ulong deliveries, out int read) || read != text.Length)
        {
            return default;
        }

        isGap = deliveries != _deliveries;
        return new PushedItem(PushedKind.Idle);
    }

    // Returns false if the subscription was ended from outside.
    private async ValueTask<bool> WaitAsync(QueuedSubscription subscription, CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _limit);
        try
        {
            _limit.CancelAfter(SilenceLimit);
            if (await subscription.Reader.WaitToReadAsync(_limit.Token).ConfigureAwait(false))
            {
                _limit.CancelAfter(Timeout.InfiniteTimeSpan);
                return true;
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // The heartbeats are missing: the consumer is gone, or the stream has no leader.
            // The old source is not disposed here, because a cancellation may be using it.
            _limit = new CancellationTokenSource();
            Stop();
            return true;
        }
        catch (OperationCanceledException)
        {
            throw new OperationCanceledException(cancellationToken);
        }

        _limit.CancelAfter(Timeout.InfiniteTimeSpan);
        lock (_gate)
        {
            if (!_isLost)
            {
                return false;
            }
        }

        Stop();
        return true;
    }

    private async Task<ulong> StartAsync(CancellationToken cancellationToken)
    {
        for (int failures = 0; ; failures++)
        {
            if (_wasStarted)
            {
                await _connected.WaitAsync(cancellationToken).ConfigureAwait(false);
            }

            try
            {
                ConsumerInfo consumer = await CreateAsync(cancellationToken).ConfigureAwait(false);
                _wasStarted = true;
                return consumer.Pending;
            }
            catch (Exception e) when (_wasStarted && _connection.State != ConnectionState.Closed && PushedRetry.IsWorthwhile(e, failures))
            {
                Stop();
                await Task.Delay(PushedRetry.PauseAfter(failures), cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                Stop();
                throw;
            }
        }
    }

    private async Task<ConsumerInfo> CreateAsync(CancellationToken cancellationToken)
    {
        // Each consumer has a subject of its own, so that no message of an earlier one is taken for one of this.
        string inbox = BrokerConnection.NewInbox(_connection.InboxPrefix);
        Subscribe(inbox);
        _deliveries = 0;
        ConsumerConfig config = _template with { Name = ConsumerManager.NewName(), DeliverSubject = inbox };
        if (_next != 0)
        {
            config = config with { DeliverPolicy = DeliverPolicy.FromSequence, StartSequence = _next, StartTime = null };
        }

        ConsumerInfo consumer = await SendCreateAsync(config, cancellationToken).ConfigureAwait(false);
        _consumer = consumer.Name;
        if (_next == 0 && (consumer.Pending == 0 || config.DeliverPolicy == DeliverPolicy.New))
        {
            // The reader has everything that was stored, so what is stored while the server is lost is new to it. The
            // template could leave a part of that out: the last message of each subject is not all messages.
            _next = consumer.Delivered.StreamSequence + 1;
        }

        return _template.FilterSubjects is { } filters && consumer.Config.FilterSubjects?.Count != filters.Count
            ? throw new StreamException(NoSeveralFilters)
            : consumer;
    }

    private async Task<ConsumerInfo> SendCreateAsync(ConsumerConfig config, CancellationToken cancellationToken)
    {
        try
        {
            return await _consumers.ChangeAsync(_stream, config, "create", cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (_template.FilterSubjects is not null && (int)e.Code == FilterIsMissing)
        {
            // The server did not read the filters.
            throw new StreamException(NoSeveralFilters, e);
        }
    }

    // The connection's own lock is not taken inside this lock, because events may be raised under it.
    private void Subscribe(string inbox)
    {
        lock (_gate)
        {
            _isLost = false;
        }

        QueuedSubscription subscription = _connection.SubscribeQueued(inbox, Queue);
        bool isLost;
        lock (_gate)
        {
            _subscription = subscription;
            isLost = _isLost;
        }

        if (isLost)
        {
            subscription.Unsubscribe();
        }
    }

    private void Stop()
    {
        QueuedSubscription? subscription;
        lock (_gate)
        {
            subscription = _subscription;
            _subscription = null;
        }

        subscription?.Dispose();
        if (_consumer is { } consumer)
        {
            _consumer = null;
            _ = DeleteAsync(consumer);
        }
    }

    // The server deletes a consumer without a subscription by itself, but some seconds later.
    private async Task DeleteAsync(string consumer)
    {
        try
        {
            if (_connection.State == ConnectionState.Connected)
            {
                await _consumers.DeleteAsync(_stream, consumer, CancellationToken.None).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
        {
            // It is gone already, or will be.
        }
    }

    // Called on the loop, and at the end on the thread pool.
    private void OnStateChanged(BrokerConnection connection, ConnectionState state)
    {
        if (state != ConnectionState.Reconnecting)
        {
            return;
        }

        QueuedSubscription? subscription;
        lock (_gate)
        {
            _isLost = true;
            subscription = _subscription;
        }

        // The reader reads what has arrived, and then the end of the queue.
        subscription?.Unsubscribe();
    }
}
