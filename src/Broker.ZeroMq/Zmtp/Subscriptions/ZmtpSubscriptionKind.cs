namespace Broker.ZeroMq.Zmtp.Subscriptions;

/// <summary>Whether a message or command is about a subscription.</summary>
internal enum ZmtpSubscriptionKind
{
    /// <summary>Neither.</summary>
    None,

    /// <summary>One subscription more.</summary>
    Subscribe,

    /// <summary>One subscription less.</summary>
    Cancel,
}
