namespace Broker.LoadTest.Clients;

/// <summary>The rounds of one client at one server in one row.</summary>
/// <param name="Server">The name of the server.</param>
/// <param name="Row">The row.</param>
/// <param name="Client">The name of the client.</param>
internal sealed record ClientOutcome(string Server, ClientRow Row, string Client)
{
    public List<ClientCost> Rounds { get; } = [];

    /// <summary>The median of a figure.</summary>
    public double Median(Func<ClientCost, double> figure)
    {
        double[] sorted = [.. Rounds.Select(figure).Order()];
        return sorted.Length % 2 == 1 ? sorted[sorted.Length / 2] : (sorted[(sorted.Length / 2) - 1] + sorted[sorted.Length / 2]) / 2;
    }
}
