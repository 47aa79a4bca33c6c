namespace Broker.Server;

/// <summary>Receives the results of an <see cref="Authentication"/>. Called on the connection's loop.</summary>
internal interface IAuthenticationOwner
{
    /// <summary>
    /// Removes the client's subscriptions before its principal changes or it authenticates again.
    /// </summary>
    /// <returns>
    /// False if the work budget is used up before all subscriptions are removed. The caller must call the method again
    /// in a later iteration of the loop, before any other operation of the client.
    /// </returns>
    bool TryRemoveSubscriptions();

    /// <summary>Called when the client has been authenticated.</summary>
    /// <param name="request">The accepted CONNECT.</param>
    /// <param name="isFirst">Whether this is the first accepted CONNECT of the client.</param>
    void OnAuthenticated(ConnectRequest request, bool isFirst);

    /// <summary>Called when the client is refused, before it receives the error.</summary>
    /// <param name="request">The refused CONNECT; null if no CONNECT was refused.</param>
    /// <param name="reason">The reason in the words of nats-server.</param>
    void OnRefused(ConnectRequest? request, string reason);
}
