namespace Broker.Bridge.PubSub;

// The NATS side comes and goes. On the client's loop.
internal sealed partial class PubSubRoute
{
    // The client would renew them by itself, under numbers that the interest set gives up when it is reset.
    internal override void OnServerLost() => DropHeld();

    internal override void OnServerBack()
    {
        // What was asked for meanwhile.
        DropHeld();
        _filterRefused = false;
        var commands = new Commands(this);
        _interest.ConnectionReset(ref commands);
        SendCommands();
    }
}
