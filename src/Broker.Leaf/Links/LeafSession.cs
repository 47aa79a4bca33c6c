using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// One connection of a link to the remote, from the dial to its close: the handshake, and then the operations of the
/// remote. Used on the loop of the link only.
/// </summary>
internal sealed partial class LeafSession(LeafLink link, LeafAddress address) : PeerSession
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(2);

    private HubInfo _info = new();
    private Phase _phase;
    private int _streamInterest;
    private bool _tlsHandshakeRuns;

    // Set before the connection is dialed.
    private LeafCredentials? _credentials;
    private ClientTlsContext? _tls;

    private enum Phase
    {
        AwaitingInfo,
        AwaitingAnswer,
        Ready,
    }

    protected override PeerLink Peer => link;

    protected override bool IsReady => _phase == Phase.Ready;

    protected override int MaxInterest => link.Remote.MaxInterest;

    protected override TimeSpan PingInterval => link.PingInterval;

    protected override bool PassesLoopSubjects => link.AcceptsOthers;

    private ClientTlsContext Tls => _tls!;

    /// <summary>The permissions of the link; null until the handshake is done.</summary>
    internal LinkPermissions? Permissions { get; private set; }

    /// <summary>The names of JetStream's subjects at the remote; null if they are the same.</summary>
    internal JetStreamMapping? JetStream { get; private set; }

    /// <summary>Gives the session its secrets, before the connection is dialed. Called on the thread pool.</summary>
    internal void Prepare(LeafCredentials? credentials, ClientTlsContext tls) => (_credentials, _tls) = (credentials, tls);

    public override void OnOpened(Connection connection)
    {
        Open(connection, link.Remote.MaxPendingBytes);
        if (link.IsStopping)
        {
            connection.Close();
            return;
        }

        BeginHandshake();
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed) => Parse(bytes, ref needed);

    public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
        => link.CountUnsent(CountMessages(written));

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        StopTimer();
        link.CountUnsent(connection.CountUnsent().Messages);
        link.OnEnded(this, _phase == Phase.Ready, Reason ?? ExplainEnd(reason, error));
    }

    protected override void OnHandshakeTimeout()
        => Fail(_phase == Phase.AwaitingInfo ? "the remote sent no INFO" : "the remote did not answer CONNECT");

    protected override void LogError(string message) => link.Log.Error(address.ToString(), message);

    protected override ReadOnlySpan<byte> ShowReply(ReadOnlySpan<byte> replyTo)
    {
        if (replyTo.IsEmpty || replyTo[0] != (byte)'_')
        {
            return replyTo;
        }

        bool hadAny = link.Replies.HasAny;
        ReadOnlySpan<byte> shown = link.Replies.Show(link.Target, replyTo, Environment.TickCount64);
        if (!hadAny && link.Replies.HasAny)
        {
            Connection!.Loop.StartTimer(GatewayReplies.Lifetime, RemoveOldReplies);
        }

        return shown;
    }

    // The subjects of streams are offered here only while the remote has them. Otherwise a request to a stream would
    // wait for its time limit, and not fail at once.
    protected override void OnInterestChanged(ReadOnlySpan<byte> filter, bool isAdded)
    {
        if (JetStream is not { } jetStream || !filter.StartsWith(jetStream.Trigger))
        {
            return;
        }

        _streamInterest += isAdded ? 1 : -1;
        foreach ((byte[] named, byte[]? group) in jetStream.Interest)
        {
            if (isAdded && _streamInterest == 1)
            {
                link.Target.AddInterest(named, group);
            }
            else if (_streamInterest == 0)
            {
                link.Target.RemoveInterest(named, group);
            }
        }
    }

    private void RemoveOldReplies()
    {
        if (!Connection!.IsOpen)
        {
            return;
        }

        link.Replies.RemoveOld(link.Target, Environment.TickCount64);
        if (link.Replies.HasAny)
        {
            Connection.Loop.StartTimer(GatewayReplies.Lifetime, RemoveOldReplies);
        }
    }
}
