using System.Text;

namespace Broker.Client.Streams;

/// <summary>
/// Requests messages of a consumer whenever there is room for them. Each open request has a reply subject of its own.
/// Used under the consumption's lock.
/// </summary>
internal sealed class PullRequests
{
    /// <summary>The pause after the server or the connection has taken no request.</summary>
    internal static readonly TimeSpan BusyPause = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The longest wait for messages that are on their way. A server that is silent for so long loses nothing for good:
    /// its messages come again after AckWait.
    /// </summary>
    internal static readonly TimeSpan SilenceLimit = TimeSpan.FromSeconds(2);

    // The server serves open requests in turn, so a few are nearly served while the last one is new.
    private const int MaxSlots = 16;

    private readonly Consumption _owner;
    private readonly BrokerConnection _connection;
    private readonly StreamsCounters _counters;
    private readonly byte[] _subject;
    private readonly byte[] _request;
    private readonly byte[] _firstRequest;
    private readonly bool _once;
    private readonly List<PullSlot> _slots = [];
    private readonly Stack<PullSlot> _free = new();
    private bool _hasSent;
    private bool _isPaused;
    private long _pausedUntil;

    internal PullRequests(Consumption owner, StreamsApi api, ConsumerInfo consumer, ConsumptionPlan plan)
    {
        _owner = owner;
        _connection = api.Connection;
        _counters = api.Counters;
        _once = plan.Once;
        Window = new PullWindow(plan.MaxMessages, plan.MaxBytes, plan.Once);
        _subject = Encoding.UTF8.GetBytes(api.SubjectOf($"CONSUMER.MSG.NEXT.{consumer.Stream}.{consumer.Name}"));
        _request = PullRequest.Create(plan, Window.Batch, Window.BatchBytes);
        _firstRequest = PullRequest.Create(plan, Window.FirstBatch, Window.BatchBytes);
    }

    internal PullWindow Window { get; }

    /// <summary>Whether no server is connected. No requests are sent meanwhile.</summary>
    internal bool IsAway { get; set; }

    /// <summary>Gives up all requests: they are lost with the server.</summary>
    internal void OnDisconnected()
    {
        IsAway = true;
        Forget(isLost: true);
    }

    /// <summary>Sends requests to the next server.</summary>
    internal void OnConnected()
    {
        IsAway = false;
        _isPaused = false;
        Forget(isLost: true);
        Restart();
    }

    /// <summary>Sends as many requests as there is room for.</summary>
    internal void Send()
    {
        while (!IsAway && !_isPaused && Window.HasRoom && !(_once && _hasSent) && (_free.Count > 0 || _slots.Count < MaxSlots))
        {
            PullSlot slot = _free.Count > 0 ? _free.Pop() : AddSlot();
            if (_connection.PublishWithStatus(_subject, Window.IsAnyOpen ? _request : _firstRequest, slot.Inbox) != PublishStatus.Accepted)
            {
                _free.Push(slot);
                Pause();
                return;
            }

            _hasSent = true;
            _counters.Pull();
            Window.Open(slot);
        }
    }

    /// <summary>Sends requests again, after the earlier ones were lost or refused.</summary>
    internal void Restart()
    {
        _hasSent = false;
        Send();
    }

    /// <summary>Sends no requests for a moment, until <see cref="EndPause"/>.</summary>
    internal void Pause()
    {
        _isPaused = true;
        _pausedUntil = Environment.TickCount64 + (long)BusyPause.TotalMilliseconds;
    }

    /// <summary>Sends requests again if a pause has ended.</summary>
    /// <param name="now">The present <see cref="Environment.TickCount64"/>.</param>
    internal void EndPause(long now)
    {
        if (_isPaused && now >= _pausedUntil)
        {
            _isPaused = false;
            Restart();
        }
    }

    /// <summary>
    /// Sends a request that the server refuses. The refusal comes after all messages that the consumer has sent.
    /// </summary>
    /// <param name="slot">The slot that receives the refusal.</param>
    internal bool TrySendInvalid(out PullSlot slot)
    {
        slot = AddSlot();
        return _connection.PublishWithStatus(_subject, "{"u8, slot.Inbox) == PublishStatus.Accepted;
    }

    /// <summary>Counts a message that has arrived for a request.</summary>
    internal void Receive(PullSlot slot, int size)
    {
        if (Window.Receive(slot, size))
        {
            _free.Push(slot);
        }
    }

    /// <summary>Ends a request that the server has ended.</summary>
    internal void Close(PullSlot slot)
    {
        Window.Close(slot);
        _free.Push(slot);
    }

    /// <summary>
    /// Gives up all requests and their reply subjects: a server that lost the connection only for a moment, or was
    /// silent, may serve them nevertheless.
    /// </summary>
    /// <param name="isLost">Whether no more messages can come.</param>
    internal void Forget(bool isLost)
    {
        foreach (PullSlot slot in _slots)
        {
            Window.Close(slot);
            if (isLost)
            {
                slot.Subscription.Unsubscribe();
            }
            else
            {
                _ = DrainSlotAsync(slot);
            }
        }

        _slots.Clear();
        _free.Clear();
    }

    /// <summary>
    /// Ends all subscriptions and awaits the messages that are on their way. Called without the lock, when no more
    /// requests are sent.
    /// </summary>
    internal Task DrainAsync() => Task.WhenAll(_slots.Select(DrainSlotAsync));

    private static async Task DrainSlotAsync(PullSlot slot)
    {
        try
        {
            await slot.Subscription.DrainAsync(CancellationToken.None).WaitAsync(SilenceLimit).ConfigureAwait(false);
        }
        catch (Exception e) when (e is TimeoutException or ClientException or ObjectDisposedException)
        {
            // The server is silent or lost, or the connection is closed.
            slot.Subscription.Unsubscribe();
        }
    }

    private PullSlot AddSlot()
    {
        string inbox = BrokerConnection.NewInbox(_connection.InboxPrefix);
        var slot = new PullSlot(_owner, Encoding.UTF8.GetBytes(inbox));
        slot.Subscription = _connection.Subscribe(inbox, slot.Receive);
        _slots.Add(slot);
        return slot;
    }
}
