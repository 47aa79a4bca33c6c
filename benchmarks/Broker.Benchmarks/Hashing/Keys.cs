using System.Globalization;
using System.Text;

namespace Broker.Benchmarks.Hashing;

/// <summary>
/// Makes distinct keys of one length that look like subjects and tokens: they are similar and differ near the end.
/// </summary>
internal static class Keys
{
    private const string Filler = "orders.europe.oslo.warehouse.lane.pallet.scanner.reading.temperature.celsius.raw";

    /// <summary>The length of a token: 6 bytes.</summary>
    internal const int Small = 6;

    /// <summary>The length of a subject: 20 bytes.</summary>
    internal const int Medium = 20;

    /// <summary>The length of a long subject: 80 bytes.</summary>
    internal const int Large = 80;

    internal static byte[][] Make(int count, int length, string mark)
    {
        byte[][] keys = new byte[count][];
        for (int i = 0; i < count; i++)
        {
            string end = mark + i.ToString("x4", CultureInfo.InvariantCulture);
            keys[i] = Encoding.ASCII.GetBytes(Filler[..(length - end.Length)] + end);
        }

        return keys;
    }
}
