namespace Broker.LoadTest.Churn;

/// <summary>Fits a straight line to points by least squares.</summary>
internal static class Slope
{
    /// <summary>The slope in units of y per unit of x; 0 if there are not two different x.</summary>
    public static double Of(IReadOnlyCollection<(double X, double Y)> points)
    {
        if (points.Count == 0)
        {
            return 0;
        }

        double meanX = points.Average(point => point.X);
        double meanY = points.Average(point => point.Y);
        double squares = points.Sum(point => (point.X - meanX) * (point.X - meanX));
        return squares == 0 ? 0 : points.Sum(point => (point.X - meanX) * (point.Y - meanY)) / squares;
    }
}
