using Broker.Protocol;

namespace Broker.Cli.Bench;

/// <summary>Handles what a connection of the driver receives.</summary>
internal interface IRawHandler : IServerOperationHandler
{
    /// <summary>Counts messages that are equal to the one before them.</summary>
    void OnEqual(int messages);

    /// <summary>
    /// Returns the number of messages since the last call if all of them had the same line and nothing else came, and 0
    /// otherwise.
    /// </summary>
    int TakeEqual();
}
