using Broker.Protocol;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// The common part of both kinds of links: the announcement of the interest of this server, and the path of messages to
/// the other server. Unless a comment says otherwise, members are used on the loop of the link only.
/// </summary>
internal abstract partial class PeerLink : IRemoteTargetHandler
{
    private readonly LinkCounters _counters;
    private readonly long _maxPendingBytes;

    // Protects the interest, its announcement, and the change of the output. It is held until the announcement is
    // flushed, so that operations of several loops arrive in the order of the changes.
    private readonly Lock _announcing = new();
    private readonly LocalInterest _interest = new();

    // Read on all threads.
    private volatile LinkOutput? _output;
    private volatile bool _isLosing;
    private RemoteConnection _beginning = null!;
    private int _announced;
    private int _remoteInterest;

    /// <param name="server">The server.</param>
    /// <param name="target">The options of the link's place in the routing.</param>
    /// <param name="log">The log.</param>
    /// <param name="loopSubject">See <see cref="LoopSubject"/>.</param>
    /// <param name="maxPendingBytes">The largest number of bytes that wait for the other server.</param>
    protected PeerLink(BrokerServer server, RemoteTargetOptions target, LinkLog log, byte[] loopSubject, long maxPendingBytes)
    {
        _counters = new LinkCounters(server.Loops.Count);
        _maxPendingBytes = maxPendingBytes;
        Log = log;
        LoopSubject = loopSubject;
        Target = server.AddRemote(this, target);
    }

    internal RemoteTarget Target { get; }

    /// <summary>The subject by which both servers find out that messages would go in a circle.</summary>
    internal byte[] LoopSubject { get; }

    internal LinkCounters Counters => _counters;

    /// <summary>The reply subjects of requests from other clusters of the remote.</summary>
    internal GatewayReplies Replies { get; } = new();

    internal LinkLog Log { get; }

    /// <summary>The number of subscriptions of the other server. Any thread may read it.</summary>
    internal int RemoteInterest => Volatile.Read(ref _remoteInterest);

    /// <summary>The number of subscriptions that were announced to the other server. Any thread may read it.</summary>
    internal int LocalInterest => Volatile.Read(ref _announced);

    /// <summary>The other server in log lines. Any thread may read it.</summary>
    protected abstract string PeerText { get; }

    protected EventLoop Loop => Target.Loop;

    /// <summary>The other server has announced or withdrawn interest.</summary>
    internal void OnRemoteInterestChanged() => Volatile.Write(ref _remoteInterest, Target.InterestCount);

    /// <summary>Lists the filters of the other server. Any thread may call this.</summary>
    internal Task<IReadOnlyList<string>> ListInterestAsync()
    {
        var listed = new TaskCompletionSource<IReadOnlyList<string>>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isPosted = Loop.TryPost(() =>
        {
            var filters = new List<string>(Target.InterestCount);
            Target.VisitInterest((filter, _, _) => filters.Add(System.Text.Encoding.UTF8.GetString(filter)));
            listed.SetResult(filters);
        });
        if (!isPosted)
        {
            listed.SetResult([]);
        }

        return listed.Task;
    }

    public void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
    {
        lock (_announcing)
        {
            _interest.Change(filter, queueGroup, isAdded);
        }
    }

    public void OnInterestReported(EventLoop loop)
    {
        lock (_announcing)
        {
            LinkOutput? output = _output;
            _interest.WriteChanges(output?.Connection.GetWriteBuffer(loop), output?.Permissions);
            Volatile.Write(ref _announced, _interest.Announced);
            output?.Connection.Flush(loop);
        }
    }

    public void OnDelivered() => _output?.Connection.ResumeReceiving();

    /// <summary>Announces all interest. Messages pass from now on.</summary>
    protected void Announce(LinkOutput output)
    {
        _counters.CountConnect();
        _isLosing = false;
        LoopWriteBuffer buffer = output.Connection.GetWriteBuffer(Loop);
        buffer.Advance(LeafOperationWriter.Subscribe(buffer.GetSpan(LoopSubject.Length + LeafOperationWriter.LineOverhead), LoopSubject, default, 1));
        lock (_announcing)
        {
            _interest.WriteAll(buffer, output.Permissions);
            Volatile.Write(ref _announced, _interest.Announced);
            output.Connection.Flush(Loop);
            _output = output;
        }

        _beginning = WithCounts(DescribeConnection());
        Target.ReportConnected(DescribeConnection());
    }

    /// <summary>Describes the present connection for events, without counts.</summary>
    protected abstract RemoteConnection DescribeConnection();

    /// <summary>The connection has ended: the other server knows nothing, and nothing is known of it.</summary>
    protected void Forget(string reason)
    {
        bool wasConnected;
        lock (_announcing)
        {
            wasConnected = _output is not null;
            _output = null;
            _interest.Forget();
            Volatile.Write(ref _announced, 0);
        }

        Target.ClearInterest();
        Replies.Clear();
        OnRemoteInterestChanged();
        if (wasConnected)
        {
            RemoteConnection end = WithCounts(_beginning);
            Target.ReportDisconnected(
                end with
                {
                    MessagesIn = end.MessagesIn - _beginning.MessagesIn,
                    BytesIn = end.BytesIn - _beginning.BytesIn,
                    MessagesOut = end.MessagesOut - _beginning.MessagesOut,
                    BytesOut = end.BytesOut - _beginning.BytesOut,
                },
                reason);
        }
    }

    // The counters are those of all connections together.
    private RemoteConnection WithCounts(RemoteConnection connection) => connection with
    {
        MessagesIn = _counters.MessagesIn,
        BytesIn = _counters.BytesIn,
        MessagesOut = _counters.MessagesOut,
        BytesOut = _counters.BytesOut,
    };
}
