namespace Broker.Server.Sessions;

/// <summary>Who is told of what an <see cref="Authentication"/> comes to. On the connection's loop.</summary>
internal interface IAuthenticationOwner
{
    /// <summary>The client is about to become somebody else, or begins afresh: what it subscribed to is not its own any more.</summary>
    /// <returns>False when there is more of that than the batch has time for: to be asked again in a later turn, before anything else.</returns>
    bool TryBecome();

    /// <summary>The client is in, as who and by what it said.</summary>
    /// <param name="request">Its CONNECT.</param>
    /// <param name="isFirst">Whether it was not in before by another one.</param>
    void OnAuthenticated(ConnectRequest request, bool isFirst);

    /// <summary>The client is not let in, and about to be told.</summary>
    /// <param name="request">Its CONNECT, where it has come to one.</param>
    /// <param name="reason">In nats-server's words.</param>
    void OnRefused(ConnectRequest? request, string reason);
}
