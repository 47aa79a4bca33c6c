using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Broker.Client;

/// <summary>
/// Encodes values as UTF-8 text: strings, numbers, dates and identifiers in the format of the invariant culture, and
/// <c>true</c> and <c>false</c>.
/// </summary>
public sealed class TextEncoder : IMessageEncoder
{
    private const int FirstTry = 64;

    /// <summary>The only instance. The encoder has no settings.</summary>
    public static TextEncoder Instance { get; } = new();

    private TextEncoder()
    {
    }

    /// <inheritdoc/>
    public void Encode<T>(T value, IBufferWriter<byte> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        switch (value)
        {
            case string text:
                Encoding.UTF8.GetBytes(text, body);
                break;
            case bool truth:
                body.Write(truth ? "true"u8 : "false"u8);
                break;
            case IUtf8SpanFormattable formattable:
                Format(formattable, body);
                break;
            default:
                throw NotKnown(typeof(T));
        }
    }

    /// <inheritdoc/>
    public T Decode<T>(ReadOnlySpan<byte> body)
    {
        // If T is a value type, the JIT compiler evaluates each comparison, so only one of these lines remains.
        if (typeof(T) == typeof(string))
        {
            return (T)(object)Encoding.UTF8.GetString(body);
        }

        if (typeof(T) == typeof(bool))
        {
            return Utf8Parser.TryParse(body, out bool truth, out int read) && read == body.Length
                ? (T)(object)truth
                : throw new FormatException("The body must be true or false.");
        }

        return typeof(T) == typeof(int) ? (T)(object)Parse<int>(body)
            : typeof(T) == typeof(long) ? (T)(object)Parse<long>(body)
            : typeof(T) == typeof(double) ? (T)(object)Parse<double>(body)
            : typeof(T) == typeof(float) ? (T)(object)Parse<float>(body)
            : typeof(T) == typeof(decimal) ? (T)(object)Parse<decimal>(body)
            : typeof(T) == typeof(uint) ? (T)(object)Parse<uint>(body)
            : typeof(T) == typeof(ulong) ? (T)(object)Parse<ulong>(body)
            : typeof(T) == typeof(short) ? (T)(object)Parse<short>(body)
            : typeof(T) == typeof(ushort) ? (T)(object)Parse<ushort>(body)
            : typeof(T) == typeof(byte) ? (T)(object)Parse<byte>(body)
            : typeof(T) == typeof(sbyte) ? (T)(object)Parse<sbyte>(body)
            : typeof(T) == typeof(Int128) ? (T)(object)Parse<Int128>(body)
            : typeof(T) == typeof(Guid) ? (T)(object)Parse<Guid>(body)
            : typeof(T) == typeof(DateTime) ? (T)(object)DateTime.Parse(Text(body), CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind)
            : typeof(T) == typeof(DateTimeOffset) ? (T)(object)DateTimeOffset.Parse(Text(body), CultureInfo.InvariantCulture)
            : typeof(T) == typeof(TimeSpan) ? (T)(object)TimeSpan.Parse(Text(body), CultureInfo.InvariantCulture)
            : throw NotKnown(typeof(T));
    }

    private static void Format(IUtf8SpanFormattable value, IBufferWriter<byte> body)
    {
        // This format keeps the fractions and the offset of dates.
        ReadOnlySpan<char> format = value is DateTime or DateTimeOffset ? "O" : default;
        for (int size = FirstTry; ; size *= 2)
        {
            if (value.TryFormat(body.GetSpan(size), out int written, format, CultureInfo.InvariantCulture))
            {
                body.Advance(written);
                return;
            }
        }
    }

    private static TNumber Parse<TNumber>(ReadOnlySpan<byte> body)
        where TNumber : IUtf8SpanParsable<TNumber>
        => TNumber.TryParse(body, CultureInfo.InvariantCulture, out TNumber? value)
            ? value
            : throw new FormatException($"The body is not a valid {typeof(TNumber).Name}.");

    private static string Text(ReadOnlySpan<byte> body) => Encoding.UTF8.GetString(body);

    private static NotSupportedException NotKnown(Type type)
        => new($"TextEncoder supports strings, booleans, numbers, dates and identifiers, not {type}.");
}
