namespace Broker.ZeroMq;

/// <summary>Whether a message or command changes a subscription.</summary>
internal enum ZmtpSubscriptionKind
{
    /// <summary>It does not change a subscription.</summary>
    None,

    /// <summary>It adds a subscription.</summary>
    Subscribe,

    /// <summary>It removes a subscription.</summary>
    Cancel,
}
