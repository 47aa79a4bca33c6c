namespace Broker.HostileRun.Attacks;

/// <summary>Random choices of the attackers.</summary>
internal static class Garbage
{
    public static byte[] Bytes(int most)
    {
        byte[] bytes = new byte[Random.Shared.Next(1, most + 1)];
        Random.Shared.NextBytes(bytes);
        return bytes;
    }

    public static T Any<T>(params ReadOnlySpan<T> choices) => choices[Random.Shared.Next(choices.Length)];

    public static TimeSpan Between(double seconds, double most)
        => TimeSpan.FromSeconds(seconds + (Random.Shared.NextDouble() * (most - seconds)));

    /// <summary>A subject token that no other client has.</summary>
    public static string Token() => Random.Shared.NextInt64().ToString("x", System.Globalization.CultureInfo.InvariantCulture);
}
