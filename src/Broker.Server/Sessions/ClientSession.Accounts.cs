using Broker.Server.Accounts;

namespace Broker.Server.Sessions;

// The account that the client is in. It is counted there once it has been let in.
internal sealed partial class ClientSession
{
    private volatile Account _account;
    private bool _isCounted;

    /// <summary>Where it is.</summary>
    internal Account Account => _account;

    // Moves it, with its count. What it has subscribed to must have ended before: who ends a subscription elsewhere goes by this.
    private void MoveTo(Account account)
    {
        if (_isCounted && _account == account)
        {
            return;
        }

        LeaveAccount();
        _isCounted = true;
        _account = account;
        account.Enter();
        _server.Events.ConnectionsChanged(_loop, account);
    }

    private void LeaveAccount()
    {
        if (_isCounted)
        {
            _isCounted = false;
            _account.Leave();
            _server.Events.ConnectionsChanged(_loop, _account);
        }
    }
}
