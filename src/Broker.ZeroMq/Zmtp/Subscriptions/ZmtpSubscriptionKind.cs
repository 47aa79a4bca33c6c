namespace Broker.ZeroMq;

/// <summary>Whether a message or command changes a subscription.</summary>
internal enum ZmtpSubscriptionKind
{
    /// <summary>The message or command does not change a subscription.</summary>
    None,

    /// <summary>The message or command adds a subscription.</summary>
    Subscribe,

    /// <summary>The message or command removes a subscription.</summary>
    Cancel,
}
