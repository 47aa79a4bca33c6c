using System.Globalization;

namespace Broker.HostileRun;

/// <summary>Sizes in the forms of the configuration file: 200MB and 200MiB are the same, 200M is less.</summary>
internal static class SizeText
{
    private static readonly (string Suffix, long Factor)[] Suffixes =
    [
        ("KiB", 1L << 10), ("MiB", 1L << 20), ("GiB", 1L << 30), ("KB", 1L << 10), ("MB", 1L << 20), ("GB", 1L << 30),
        ("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000), ("", 1),
    ];

    public static bool TryParse(string text, out long bytes)
    {
        (string suffix, long factor) = Suffixes.First(one => text.EndsWith(one.Suffix, StringComparison.OrdinalIgnoreCase));
        bool isNumber = long.TryParse(text.AsSpan(0, text.Length - suffix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out long number);
        bytes = isNumber && number <= long.MaxValue / factor ? number * factor : 0;
        return bytes > 0;
    }
}
