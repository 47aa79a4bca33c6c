using System.Runtime.CompilerServices;

namespace Broker.Server;

// Delivers a message to very many subscribers in shares: when the work budget is used up, the rest follows in later
// iterations of the loop, and other connections are served in between.
internal sealed partial class RoutingPublisher
{
    // A message that is written in less time than so many bytes is delivered at once.
    private const long MaxAtOnce = 4 * 1024 * 1024;

    // One delivery takes about as long as copying so many bytes. Only the estimate before the delivery uses this.
    private const long BytesPerDelivery = 512;

    // Deliveries of imports are added before the one that has caused them. The last one continues first, so there are
    // never more than there are nested imports.
    private List<PendingDelivery>? _pending;

    // The subscriptions of a batch are not visited again, so the deliveries that they cause cannot wait.
    private bool _isInBatch;
    private bool _sawSlowSubscribers;

    /// <summary>
    /// The session that waits while a message is delivered in shares. Without it, each message is delivered at once.
    /// </summary>
    internal IDeliveryObserver? Observer { get; set; }

    /// <summary>
    /// Whether a message has not reached all its subscribers yet. No other operation of the publisher may be handled
    /// until <see cref="IDeliveryObserver.OnDelivered"/>.
    /// </summary>
    internal bool HasPending => _pending is { Count: > 0 };

    /// <summary>Begins the work budget of one share.</summary>
    internal void BeginShare() => State.Budget.Begin(State.BytesOut, Loop.IsBehind);

    /// <summary>
    /// Continues the delivery of pending messages until the work budget is used up. Returns whether all subscribers
    /// have received them.
    /// </summary>
    internal bool TryDeliverPending()
    {
        bool succeeds = false;
        try
        {
            long slowWrites = Loop.WritesAboveHighWater;
            bool isDone = TryDeliverAllPending();
            _sawSlowSubscribers |= Loop.WritesAboveHighWater != slowWrites;
            succeeds = true;
            if (isDone)
            {
                bool sawSlowSubscribers = _sawSlowSubscribers;
                _sawSlowSubscribers = false;
                Observer!.OnDelivered(sawSlowSubscribers);
            }

            return isDone;
        }
        finally
        {
            if (!succeeds)
            {
                AbandonPending();
            }
        }
    }

    internal static bool IsForMany(in RoutedMessage message, int subscribers)
        => (BytesPerDelivery + message.Payload.Length) * subscribers > MaxAtOnce;

    private bool TryDeliverAllPending()
    {
        while (HasPending)
        {
            int at = _pending!.Count - 1;
            PendingDelivery delivery = _pending[at];
            RoutedMessage message = delivery.Message;
            _imports = delivery.Imports;
            delivery.Delivered += DeliverShare(in message, ref delivery.Cursor);
            _imports = 0;
            if (!delivery.Cursor.IsAtEnd)
            {
                return false;
            }

            if (delivery is { Delivered: 0, Imports: 0 } && !message.ReplyTo.IsEmpty)
            {
                Observer!.OnNotDelivered(message.ReplyTo);
            }

            // Its last subscriber may have been an import that now waits behind it.
            _pending.RemoveAt(at);
            delivery.Release(Loop.Group.ReceiveBudget);
            if (IsOverBudget)
            {
                return !HasPending;
            }
        }

        return true;
    }

    private void AbandonPending()
    {
        _imports = 0;
        _pending!.ForEach(delivery => delivery.Release(Loop.Group.ReceiveBudget));
        _pending.Clear();
        Observer!.OnDeliveryFailed();
    }

    // The first subscriptions of the route, visited before, are left out. Returns at least 1 if subscribers remain.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int DeliverToMany(in RoutedMessage message, Route route, int visited = 0, int delivered = 0)
    {
        var cursor = new RouteCursor(route, visited);
        return DeliverToMany(in message, ref cursor, delivered);
    }

    /// <summary>
    /// Delivers a message to the first plain subscriptions of a route only, in shares if they are very many.
    /// </summary>
    internal int DeliverToPlain(in RoutedMessage message, Route route, int count)
    {
        var cursor = RouteCursor.OfPlain(route, count);
        return DeliverToMany(in message, ref cursor, 0);
    }

    private int DeliverToMany(in RoutedMessage message, ref RouteCursor cursor, int delivered)
    {
        int index = _pending?.Count ?? 0;
        delivered += DeliverShare(in message, ref cursor);
        if (cursor.IsAtEnd)
        {
            return delivered;
        }

        var pending = new PendingDelivery(in message, in cursor, _imports, Loop.Group.ReceiveBudget) { Delivered = delivered };
        (_pending ??= []).Insert(index, pending);
        return Math.Max(1, delivered);
    }

    private int DeliverShare(in RoutedMessage message, ref RouteCursor cursor)
    {
        bool mayWait = Observer is not null && !_isInBatch;
        int delivered = 0;
        while (!cursor.IsAtEnd)
        {
            if (DeliverToNext(in message, ref cursor))
            {
                delivered++;
            }

            State.Budget.ChargeDelivery();
            if (mayWait && IsOverBudget)
            {
                break;
            }
        }

        State.PayloadOut += (long)delivered * message.Payload.Length;
        return delivered;
    }

    private bool DeliverToNext(in RoutedMessage message, ref RouteCursor cursor)
    {
        if (cursor.MoveNext(out QueueGroup? group, out RenamedDelivery? renamed) is { } subscription)
        {
            return TryDeliver(subscription, cursor.Route, in message);
        }

        return group is not null
            ? DeliverToOne(group, cursor.Route, in message)
            : TryDeliverRenamed(renamed!.Subscription, renamed.Route, in message);
    }
}
