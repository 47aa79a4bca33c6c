using System.Text;
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
        Connects = _counters.Connects,
        MessagesIn = _counters.MessagesIn,
        BytesIn = _counters.BytesIn,
        MessagesOut = _counters.MessagesOut,
        BytesOut = _counters.BytesOut,
        MessagesLost = _counters.Lost,
        RemoteInterest = Volatile.Read(ref _remoteInterest),
        LocalInterest = Volatile.Read(ref _announced),
        DiscoveredAddresses = Addresses.Discovered,
        LastError = _lastError,
    };

    /// <summary>Returns the state of the link for the monitoring pages. Any thread may call this.</summary>
    internal LeafNodeDescription DescribeForPages()
    {
        LeafAddress address = _address;
        return new LeafNodeDescription
        {
            Account = Target.Account,
            Addresses = [.. _remote.Urls.Select(LeafAddress.Describe)],
            IsConnected = _isConnected,
            Name = _remoteName,
            Host = address.Host,
            Port = address.Port,
            MessagesIn = _counters.MessagesIn,
            MessagesOut = _counters.MessagesOut,
            BytesIn = _counters.BytesIn,
            BytesOut = _counters.BytesOut,
            Subscriptions = Volatile.Read(ref _remoteInterest),
            ListSubscriptionsAsync = ListInterestAsync,
        };
    }

    private Task<IReadOnlyList<string>> ListInterestAsync()
    {
        var listed = new TaskCompletionSource<IReadOnlyList<string>>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isPosted = Loop.TryPost(() =>
        {
            var filters = new List<string>(Target.InterestCount);
            Target.VisitInterest((filter, _, _) => filters.Add(Encoding.UTF8.GetString(filter)));
            listed.SetResult(filters);
        });
        if (!isPosted)
        {
            listed.SetResult([]);
        }

        return listed.Task;
    }
}
