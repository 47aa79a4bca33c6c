using System.Globalization;

namespace Broker.Cli.Configuration;

/// <summary>Converts an unquoted word to a boolean, a number, a size or a text.</summary>
internal static class ConfigScalar
{
    public static ConfigValue Read(string word, ConfigPosition position, bool isSecret = false)
    {
        switch (word.ToUpperInvariant())
        {
            case "TRUE" or "YES" or "ON":
                return new ConfigBoolean(true, position);
            case "FALSE" or "NO" or "OFF":
                return new ConfigBoolean(false, position);
        }

        var digitsStart = word.StartsWith('-') ? 1 : 0;
        var digitsEnd = digitsStart;
        while (digitsEnd < word.Length && char.IsAsciiDigit(word[digitsEnd]))
        {
            digitsEnd++;
        }

        if (digitsEnd == digitsStart)
        {
            return new ConfigText(word, position);
        }

        var suffix = word[digitsEnd..];
        if (suffix.StartsWith('.') && suffix.Length > 1 && suffix.AsSpan(1).IndexOfAnyExceptInRange('0', '9') < 0)
        {
            return new ConfigFloat(double.Parse(word, CultureInfo.InvariantCulture), position);
        }

        if (Unit(suffix) is not { } unit)
        {
            return new ConfigText(word, position);
        }

        if (!long.TryParse(word.AsSpan(0, digitsEnd), CultureInfo.InvariantCulture, out var number)
            || number > long.MaxValue / unit || number < long.MinValue / unit)
        {
            throw new ConfigException($"the number {(isSecret ? "" : word + " ")}is too large", position);
        }

        return new ConfigInteger(number * unit, position);
    }

    private static long? Unit(string suffix)
    {
        if (suffix.Length == 0)
        {
            return 1;
        }

        var power = "KMGTPE".IndexOf(char.ToUpperInvariant(suffix[0]), StringComparison.Ordinal) + 1;
        if (power == 0)
        {
            return null;
        }

        return suffix[1..].ToUpperInvariant() switch
        {
            "" => Power(1000, power),
            "B" or "I" or "IB" => Power(1024, power),
            _ => null,
        };

        static long Power(long basis, int exponent)
        {
            var result = 1L;
            for (var i = 0; i < exponent; i++)
            {
                result *= basis;
            }

            return result;
        }
    }
}
