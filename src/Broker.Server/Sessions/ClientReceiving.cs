using System.Runtime.CompilerServices;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Handles the bytes that a client sends: it parses them and passes the operations to the other parts of the session,
/// or to <see cref="ClientPublishing"/>. It stops when the work budget of this iteration of the loop is used up, and
/// delays a client that publishes faster than its subscribers read. Runs on the connection's loop.
/// </summary>
internal sealed partial class ClientReceiving : IDeliveryObserver
{
    private readonly ClientChannel _channel;
    private readonly Authentication _authentication;
    private readonly ClientSubscriptions _subscriptions;
    private readonly Liveness _liveness;
    private readonly RoutingPublisher _publisher;
    private readonly LoopState _state;
    private readonly InterestBarrier _barrier;
    private readonly DeferredOperation _deferred = new();
    private readonly ClientPublishing _publishing;
    private readonly ParserLimits _limits;
    private ClientOperationParser _parser;

    // Null until the client first publishes faster than a subscriber reads.
    private PublisherStall? _stall;

    // The received bytes that the brake counts if a later share of the last message meets a slow subscriber; 0 if it
    // has counted them already.
    private int _pendingBytes;

    private long _messages;
    private long _payload;

    internal ClientReceiving(
        ClientChannel channel,
        ClientIdentity identity,
        Authentication authentication,
        ClientSubscriptions subscriptions,
        Liveness liveness)
    {
        _channel = channel;
        _authentication = authentication;
        _subscriptions = subscriptions;
        _liveness = liveness;
        _publisher = channel.Publisher;
        _publisher.Observer = this;
        _state = channel.Publisher.State;
        _barrier = new InterestBarrier(channel);
        _publishing = new ClientPublishing(channel, identity, subscriptions, _deferred);
        _limits = channel.Server.ParserLimits;
        MaxPayload = _limits.MaxPayload;
        _parser = new ClientOperationParser(_limits);
    }

    /// <summary>The number of messages that the client has published. Thread-safe.</summary>
    internal long Messages => Volatile.Read(ref _messages);

    /// <summary>The payload bytes that the client has published. Thread-safe.</summary>
    internal long PayloadBytes => Volatile.Read(ref _payload);

    /// <summary>The maximum payload of the client in bytes.</summary>
    internal int MaxPayload { get; private set; }

    /// <summary>Whether the client is being slowed down, because a subscriber reads too slowly.</summary>
    internal bool IsStalled => _stall is { IsActive: true };

    /// <summary>How often the client was delayed because a subscriber reads too slowly. Thread-safe.</summary>
    internal long Stalls => _stall?.Count ?? 0;

    /// <summary>Applies the options of an accepted CONNECT.</summary>
    internal void Configure(ConnectRequest request) => _publishing.Configure(request);

    /// <summary>
    /// Applies the maximum payload of the client's account; null for that of the server. Returns whether the maximum
    /// has changed. The parser keeps nothing between two operations, so it can be replaced there.
    /// </summary>
    internal bool LimitPayload(int? most)
    {
        int payload = Math.Min(_limits.MaxPayload, most ?? int.MaxValue);
        if (payload == MaxPayload)
        {
            return false;
        }

        MaxPayload = payload;
        _parser = new ClientOperationParser(_limits with { MaxPayload = payload });
        return true;
    }

    /// <summary>Handles bytes of a client whose authentication is pending. Returns how many it has consumed.</summary>
    internal int Authenticate(ReadOnlySpan<byte> bytes, ref int needed)
        => _authentication.Receive(ref _parser, bytes, ref needed);

    void IDeliveryObserver.OnNotDelivered(ReadOnlySpan<byte> reply) => _publishing.ReplyNoResponders(reply);

    void IDeliveryObserver.OnDelivered(bool sawSlowSubscribers)
    {
        Connection connection = _channel.Connection;
        if (sawSlowSubscribers && _pendingBytes != 0 && connection.IsOpen)
        {
            Stall(connection, _pendingBytes);
        }

        connection.ResumeReceiving();
    }

    void IDeliveryObserver.OnDeliveryFailed() => _channel.Connection.Close();

    /// <summary>Handles bytes of an authenticated client. Returns the number of consumed bytes.</summary>
    internal int Receive(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        _state.BytesIn += bytes.Length;
        var handler = new Operations(this);
        _liveness.OnActivity();
        _publisher.Begin();
        long slowWrites = connection.Loop.WritesAboveHighWater;
        long messages = _state.MessagesIn;
        long payload = _state.PayloadIn;
        int consumed = _channel.Trace is { } trace
            ? ParseTraced(bytes, trace, ref needed, out ProtocolError error)
            : _parser.Parse(bytes, ref handler, ref needed, out error);
        _publisher.EndBatch();
        if (_publisher.IsOverBudget)
        {
            consumed -= _deferred.Take(bytes[..consumed]);
            if (_publisher.HasPending)
            {
                connection.PauseReceiving();
                _state.PendingPublishers.Add(_publisher);
                _pendingBytes = consumed;
            }
            else
            {
                connection.YieldReceiving();
            }
        }

        // Only this client's operations have changed the loop's counters meanwhile.
        messages = _state.MessagesIn - messages;
        _messages += messages;
        connection.CountMessages((int)messages);
        _payload += _state.PayloadIn - payload;
        // The remaining bytes are counted when the connection delivers them again.
        _state.BytesIn -= bytes.Length - consumed;
        if (error != ProtocolError.None && !_channel.IsEnded)
        {
            _channel.FailProtocol(error);
        }

        if (_authentication.IsVerifying)
        {
            _authentication.CountBufferedBytes(bytes.Length - consumed);
        }

        if (connection.Loop.WritesAboveHighWater != slowWrites)
        {
            _pendingBytes = 0;
            Stall(connection, consumed);
        }

        return consumed;
    }

    /// <summary>
    /// Handles a part of the bytes of a client that is being slowed down. Returns the number of consumed bytes.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal int ReceivePart(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        long delays = _stall!.Count;
        long slowWrites = connection.Loop.WritesAboveHighWater;
        int size = PublisherStall.BatchBytes;
        ReadOnlySpan<byte> part;
        int consumed;
        int needsAfterPart;
        do
        {
            part = bytes[..Math.Min(bytes.Length, size)];
            needsAfterPart = 0;
            consumed = Receive(connection, part, ref needsAfterPart);
            // If nothing was consumed, the message is larger than the part.
            size = Math.Max(needsAfterPart, 2 * part.Length);
        }
        while (consumed == 0 && part.Length != bytes.Length && _channel.MayContinue);

        if (connection.Loop.WritesAboveHighWater == slowWrites)
        {
            _stall.End();
        }

        if (part.Length == bytes.Length)
        {
            needed = needsAfterPart;
        }
        else if (_stall.Count == delays)
        {
            connection.YieldReceiving();
        }

        return consumed;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Stall(Connection connection, int bytes)
    {
        _stall ??= new PublisherStall(connection);
        if (_stall.Continue(bytes))
        {
            _state.Stalls++;
        }
    }

    // Handles a repeated CONNECT. All earlier subscriptions must have been removed before the client is authenticated
    // again.
    private bool Connect(ReadOnlySpan<byte> json)
        => _authentication.Request is null || _subscriptions.TryRemoveAll()
            ? _authentication.Connect(json)
            : _deferred.DeferConnect(json);

    // The trace costs an untraced client one branch for each read and nothing for each message: a traced client has a
    // separate handler, and its target is marked as watched.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ParseTraced(ReadOnlySpan<byte> bytes, ProtocolTrace trace, ref int needed, out ProtocolError error)
    {
        var handler = new TracedOperations<Operations>(new Operations(this), _publisher, trace);
        return _parser.Parse(bytes, ref handler, ref needed, out error);
    }
}
