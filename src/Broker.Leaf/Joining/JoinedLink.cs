using System.Net;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>The link to a server that has joined this server. It ends with its connection.</summary>
internal sealed class JoinedLink : PeerLink
{
    private readonly string _address;
    private readonly string? _version;

    /// <param name="server">The server.</param>
    /// <param name="options">The options of the listener.</param>
    /// <param name="log">The log.</param>
    /// <param name="loopSubject">See <see cref="PeerLink.LoopSubject"/>.</param>
    /// <param name="connect">The CONNECT of the other server.</param>
    /// <param name="identity">The user of the other server.</param>
    /// <param name="loop">The loop of the connection.</param>
    /// <param name="address">The address of the other server.</param>
    internal JoinedLink(
        BrokerServer server, LeafListenOptions options, LinkLog log, byte[] loopSubject, LeafConnect connect, PeerIdentity identity, EventLoop loop, EndPoint? address)
        : base(
            server,
            new RemoteTargetOptions { Account = identity.Account, Loop = loop, HasJoined = true, Cluster = string.IsNullOrEmpty(connect.Cluster) ? null : connect.Cluster },
            log,
            loopSubject,
            options.MaxPendingBytes)
    {
        Identity = identity;
        EndPoint = address;
        _address = address?.ToString() ?? "";
        _version = connect.Version;
        Name = connect.Name ?? connect.ServerId ?? "";
        Key = string.Join('\n', Name, connect.Cluster, identity.Account, connect.RemoteAccount);
    }

    /// <summary>The name that the other server has told.</summary>
    internal string Name { get; }

    /// <summary>Two links with one key belong to one server: the older connection is dead.</summary>
    internal string Key { get; }

    internal PeerIdentity Identity { get; }

    internal EndPoint? EndPoint { get; }

    protected override string PeerText => _address;

    /// <summary>Begins to exchange messages.</summary>
    internal void Begin(LinkOutput output)
    {
        Announce(output);
        Log.Joined(Name, _address, Target.Account);
    }

    /// <summary>The connection has ended.</summary>
    internal void End(string reason)
    {
        Forget(reason);
        Target.Dispose();
        Log.Left(Name, _address, reason);
    }

    /// <summary>Returns the state of the link. Any thread may call this.</summary>
    internal LeafNodeStatus Describe() => new()
    {
        Name = Name,
        Account = Target.Account,
        UserName = Identity.UserName,
        Address = _address,
        MessagesIn = Counters.MessagesIn,
        BytesIn = Counters.BytesIn,
        MessagesOut = Counters.MessagesOut,
        BytesOut = Counters.BytesOut,
        MessagesLost = Counters.Lost,
        RemoteInterest = RemoteInterest,
        LocalInterest = LocalInterest,
    };

    protected override RemoteConnection DescribeConnection() => new()
    {
        Address = (EndPoint as IPEndPoint)?.Address.ToString() ?? _address,
        UserName = Identity.UserName,
        Name = Name,
        Version = _version,
    };

    /// <summary>Returns the state of the link for the monitoring pages. Any thread may call this.</summary>
    internal LeafNodeDescription DescribeForPages() => new()
    {
        HasJoined = true,
        Account = Target.Account,
        Addresses = [],
        IsConnected = true,
        Name = Name,
        Host = (EndPoint as IPEndPoint)?.Address.ToString() ?? _address,
        Port = (EndPoint as IPEndPoint)?.Port ?? 0,
        MessagesIn = Counters.MessagesIn,
        MessagesOut = Counters.MessagesOut,
        BytesIn = Counters.BytesIn,
        BytesOut = Counters.BytesOut,
        Subscriptions = RemoteInterest,
        ListSubscriptionsAsync = ListInterestAsync,
    };
}
