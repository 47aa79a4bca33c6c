namespace Broker.Server;

/// <summary>Calculates the number of subscriptions that a limited heap can hold.</summary>
internal static class SubscriptionLimits
{
    // The heap bytes for each subscription of one client. A subscription to a short subject uses only a tenth of these
    // bytes.
    private const int HeapPerSubscription = 2048;

    private const int PartForSubscriptions = 4;

    // The bytes of a subscription in the router and in the client's table, and the bytes of a token that no other
    // subscription has at the same position.
    private const int BytesPerSubscription = 96;
    private const int BytesPerToken = 96;

    /// <summary>The default limit for one client; 0 for no limit.</summary>
    /// <param name="heap">The heap limit in bytes; 0 for no heap limit.</param>
    internal static int PerClient(long heap) => (int)Math.Min(heap / HeapPerSubscription, int.MaxValue);

    /// <summary>The budget for the subscriptions of all clients; null without a heap limit.</summary>
    /// <param name="heap">The heap limit in bytes; 0 for no heap limit.</param>
    internal static ByteBudget? CreateBudget(long heap) => heap == 0 ? null : new ByteBudget(heap / PartForSubscriptions);

    /// <summary>The most memory that a subscription is likely to use, in bytes.</summary>
    internal static long Measure(ReadOnlySpan<byte> filter, int queueLength, int sidLength)
        => BytesPerSubscription + filter.Length + queueLength + sidLength + ((filter.Count((byte)'.') + 1L) * BytesPerToken);

    /// <summary>The most memory that a subscription is likely to use, in bytes.</summary>
    internal static long Measure(Subscription subscription)
        => Measure(subscription.Filter, subscription.Queue?.Length ?? 0, subscription.Sid.Length);
}
