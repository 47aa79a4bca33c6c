namespace Broker.Bridge;

// Handles the loss and the return of the NATS server. On the client's loop.
internal sealed partial class PubSubRoute
{
    // Otherwise the client would subscribe again on its own, with ids that the interest set no longer uses after its
    // reset.
    internal override void OnServerLost() => DropHeld();

    internal override void OnServerConnected()
    {
        // Drops subscriptions that were made while no server was connected.
        DropHeld();
        _filterRefused = false;
        var commands = new Commands(this);
        _interest.ConnectionReset(ref commands);
        SendCommands();
    }
}
