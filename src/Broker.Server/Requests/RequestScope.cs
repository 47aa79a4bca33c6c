namespace Broker.Server;

/// <summary>The part of the server that a system request is about. It follows from the subject.</summary>
internal enum RequestScope
{
    /// <summary>All servers: <c>$SYS.REQ.SERVER.PING.…</c>.</summary>
    Servers,

    /// <summary>This server by its id. Only these requests can change something.</summary>
    ThisServer,

    /// <summary>An account by its name: <c>$SYS.REQ.ACCOUNT.name.…</c>.</summary>
    Account,

    /// <summary>The account of the requester.</summary>
    OwnAccount,

    /// <summary>The requester itself: <c>$SYS.REQ.USER.INFO</c>.</summary>
    Requester,

    /// <summary>The subscribers of a subject in the account of the requester: <c>$SYS.DEBUG.SUBSCRIBERS</c>.</summary>
    Subscribers,
}
