namespace Broker.Server;

/// <summary>The scope of a system request, which its subject determines.</summary>
internal enum RequestScope
{
    /// <summary>All servers: <c>$SYS.REQ.SERVER.PING.…</c>.</summary>
    Servers,

    /// <summary>This server, named by its id. Only requests with this scope can change something.</summary>
    ThisServer,

    /// <summary>An account, named in the subject: <c>$SYS.REQ.ACCOUNT.name.…</c>.</summary>
    Account,

    /// <summary>The account of the requester.</summary>
    OwnAccount,

    /// <summary>The requester itself: <c>$SYS.REQ.USER.INFO</c>.</summary>
    Requester,

    /// <summary>The streams of the requester's account, which has none: <c>$JS.API.…</c>.</summary>
    Streams,

    /// <summary>The subscribers of a subject in the account of the requester: <c>$SYS.DEBUG.SUBSCRIBERS</c>.</summary>
    Subscribers,
}
