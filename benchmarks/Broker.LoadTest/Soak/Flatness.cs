using Broker.LoadTest.Churn;

namespace Broker.LoadTest.Soak;

/// <summary>
/// The growth of a quantity in the second half of a run: that of the straight line through its values, by least
/// squares. It is flat if it grows by at most a share of its mean and a constant, which stands for the steps in which
/// it goes up and down.
/// </summary>
/// <param name="What">The quantity with its unit.</param>
/// <param name="Mean">The mean of the second half.</param>
/// <param name="Growth">The growth in the second half.</param>
/// <param name="Allowed">The growth that is flat.</param>
internal sealed record Flatness(string What, double Mean, double Growth, double Allowed)
{
    public bool IsFlat => Growth <= Allowed;

    /// <summary>Calculates the growth; null if fewer than four values are known.</summary>
    public static Flatness? Of(string what, IReadOnlyList<(double X, double Y)> values, double share, double step)
    {
        (double X, double Y)[] half = [.. values.Skip(values.Count / 2)];
        if (half.Length < 2 || values.Count < 4)
        {
            return null;
        }

        double mean = half.Average(static value => value.Y);
        return new Flatness(what, mean, Slope.Of(half) * (half[^1].X - half[0].X), (share * Math.Abs(mean)) + step);
    }
}
