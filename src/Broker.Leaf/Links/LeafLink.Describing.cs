using Broker.Server;

namespace Broker.Leaf;

// The state of the link for operators. All methods may be called on any thread.
internal sealed partial class LeafLink
{
    /// <summary>Returns the state of the link. Any thread may call this.</summary>
    internal LeafRemoteStatus Describe() => new()
    {
        IsConnected = _isConnected,
        Account = Target.Account,
        Address = _address.ToString(),
        RemoteName = _remoteName,
        Connects = Counters.Connects,
        MessagesIn = Counters.MessagesIn,
        BytesIn = Counters.BytesIn,
        MessagesOut = Counters.MessagesOut,
        BytesOut = Counters.BytesOut,
        MessagesLost = Counters.Lost,
        RemoteInterest = RemoteInterest,
        LocalInterest = LocalInterest,
        DiscoveredAddresses = Addresses.Discovered,
        LastError = _lastError,
    };

    // nats-server does not name the remote that it has joined, either.
    protected override RemoteConnection DescribeConnection() => new() { Address = _address.Host };

    /// <summary>Returns the state of the link for the monitoring pages. Any thread may call this.</summary>
    internal LeafNodeDescription DescribeForPages()
    {
        // Before all else, as in Describe: then a connected link is described with the address that it is connected to.
        bool isConnected = _isConnected;
        LeafAddress address = _address;
        return new LeafNodeDescription
        {
            Account = Target.Account,
            Addresses = [.. _remote.Urls.Select(LeafAddress.Describe)],
            IsConnected = isConnected,
            Name = _remoteName,
            Host = address.Host,
            Port = address.Port,
            MessagesIn = Counters.MessagesIn,
            MessagesOut = Counters.MessagesOut,
            BytesIn = Counters.BytesIn,
            BytesOut = Counters.BytesOut,
            Subscriptions = RemoteInterest,
            ListSubscriptionsAsync = ListInterestAsync,
        };
    }
}
