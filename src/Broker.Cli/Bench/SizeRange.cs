using System.Globalization;
using Broker.Hosting;

namespace Broker.Cli.Bench;

/// <summary>Sizes of bodies in bytes, all from the least to the most.</summary>
internal readonly record struct SizeRange(int Least, int Most)
{
    private const int Bodies = 1024;
    private const int Seed = 17;

    /// <summary>Parses one size, such as 128 or 1KB, or a range, such as 16..4KB.</summary>
    public static bool TryParse(string text, out SizeRange range)
    {
        string[] parts = text.Split("..", 2);
        range = default;
        if (!TryParseSize(parts[0], out int least) || !TryParseSize(parts[^1], out int most) || least > most)
        {
            return false;
        }

        range = new SizeRange(least, most);
        return true;
    }

    /// <summary>Creates the bodies, which the publishers send in turn. They are the same in each run.</summary>
    public ReadOnlyMemory<byte>[] CreateBodies()
    {
        byte[] longest = new byte[Most];
        longest.AsSpan().Fill((byte)'x');
        if (Least == Most)
        {
            return [longest];
        }

        var random = new Random(Seed);
        var bodies = new ReadOnlyMemory<byte>[Bodies];
        for (int i = 0; i < bodies.Length; i++)
        {
            bodies[i] = longest.AsMemory(0, random.Next(Least, Most + 1));
        }

        return bodies;
    }

    public override string ToString() => Least == Most
        ? Least.ToString(CultureInfo.InvariantCulture)
        : string.Create(CultureInfo.InvariantCulture, $"{Least}..{Most}");

    private static bool TryParseSize(string text, out int size)
    {
        bool isValid = ByteSize.TryParse(text, out long parsed) && parsed <= Array.MaxLength;
        size = isValid ? (int)parsed : 0;
        return isValid && text.Length > 0;
    }
}
