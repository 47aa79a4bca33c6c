namespace Broker.Cli.Serving;

/// <summary>Sends the result of each reload to the processes that asked for it with <c>--signal reload</c>.</summary>
internal sealed class ReloadReceipts : IServeObserver
{
    public void OnReloaded(IReadOnlyList<string> problems) => ReloadReceipt.Send(problems);
}
