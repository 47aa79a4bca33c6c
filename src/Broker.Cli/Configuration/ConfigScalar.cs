using System.Globalization;
using Broker.Hosting;

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

        int digitsStart = word.StartsWith('-') ? 1 : 0;
        int digitsEnd = digitsStart;
        while (digitsEnd < word.Length && char.IsAsciiDigit(word[digitsEnd]))
        {
            digitsEnd++;
        }

        if (digitsEnd == digitsStart)
        {
            return new ConfigText(word, position);
        }

        string suffix = word[digitsEnd..];
        if (suffix.StartsWith('.') && suffix.Length > 1 && suffix.AsSpan(1).IndexOfAnyExceptInRange('0', '9') < 0)
        {
            return new ConfigFloat(double.Parse(word, CultureInfo.InvariantCulture), position);
        }

        if (ByteSize.Unit(suffix) is not { } unit)
        {
            return new ConfigText(word, position);
        }

        if (!long.TryParse(word.AsSpan(0, digitsEnd), CultureInfo.InvariantCulture, out long number)
            || number > long.MaxValue / unit || number < long.MinValue / unit)
        {
            throw new ConfigException($"the number {(isSecret ? "" : word + " ")}is too large", position);
        }

        return new ConfigInteger(number * unit, position);
    }
}
