namespace Broker.Server;

// Changes of the server's options and security rules while the client is connected.
internal sealed partial class ClientSession
{
    /// <summary>
    /// Applies changes that were made before the session was in the list of sessions. Called on the connection's loop.
    /// </summary>
    internal void ApplyMissedChanges()
    {
        _limits.Apply(_authentication.Request?.Name);
        ApplySecurity();
    }

    /// <summary>Applies changed options of the server. Thread-safe.</summary>
    /// <param name="security">Whether the security rules have been replaced.</param>
    /// <param name="info">Whether the content of INFO has changed.</param>
    internal void OnReloaded(bool security, bool info) => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null)
        {
            _limits.Apply(_authentication.Request?.Name);
        }

        if (info)
        {
            ResendInfo();
        }

        if (security)
        {
            ApplySecurity();
        }
    });

    /// <summary>
    /// Sends another INFO if the client announced in its CONNECT that it accepts another INFO. Thread-safe.
    /// </summary>
    internal void ResendInfo() => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null && _authentication.Request is { ProtocolLevel: >= 1 })
        {
            SendInfo();
        }
    });

    /// <summary>Asks this client to move to another server. Thread-safe.</summary>
    internal void SendLameDuckInfo() => Loop.Run(() =>
    {
        if (!_channel.IsEnded && _channel.Connection is not null)
        {
            _channel.Write(_server.InfoFor(this, isLameDuck: true));
        }
    });

    /// <summary>Stores the version of the INFO that is about to be sent. Called on the connection's loop.</summary>
    internal void SetInfoVersion(int version) => _infoVersion = version;

    ulong IAccountMember.Id => Id;

    void IAccountMember.OnAccountChanged() => ApplySecurity(accountChanged: true);

    void IAccountMember.OnAccountFull() => _authentication.LeaveFullAccount();

    private void ApplySecurity(bool accountChanged = false)
    {
        AccessRules? before = _identity.Access;
        if (!_authentication.TryApplyRules(accountChanged))
        {
            return;
        }

        _subscriptions.Review(accessChanged: before != _identity.Access);
        if (_subscriptions.Count > _identity.MaxSubscriptions)
        {
            _server.Log.TooManySubscriptions(Id, RemoteEndPoint);
            _channel.Fail(ClientSubscriptions.TooMany);
        }
        else if (_receiving.LimitPayload(_identity.MaxPayload))
        {
            ResendInfo();
        }
    }
}
