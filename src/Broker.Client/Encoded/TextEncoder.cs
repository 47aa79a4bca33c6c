using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Client;

/// <summary>
/// Encodes values as UTF-8 text: strings, numbers, dates and identifiers in the format of the invariant culture,
/// <c>true</c> and <c>false</c>, and the names of enumerations. A nullable value without a value is an empty body.
/// </summary>
/// <example>
/// <code>
/// EncodedConnection numbers = nats.WithEncoder(TextEncoder.Instance);
/// numbers.Publish("temperature", 4.5);
/// </code>
/// </example>
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
            case Enum named:
                Encoding.UTF8.GetBytes(named.ToString(), body);
                break;
            case null when default(T) is null && (typeof(T) == typeof(string) || Nullable.GetUnderlyingType(typeof(T)) is not null):
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

        if (body.IsEmpty && Nullable.GetUnderlyingType(typeof(T)) is not null)
        {
            return default!;
        }

        if (Is<T, bool>())
        {
            return Utf8Parser.TryParse(body, out bool truth, out int read) && read == body.Length
                ? (T)(object)truth
                : throw new FormatException("The body must be true or false.");
        }

        return Is<T, int>() ? (T)(object)Parse<int>(body)
            : Is<T, long>() ? (T)(object)Parse<long>(body)
            : Is<T, double>() ? (T)(object)Parse<double>(body)
            : Is<T, float>() ? (T)(object)Parse<float>(body)
            : Is<T, decimal>() ? (T)(object)Parse<decimal>(body)
            : Is<T, uint>() ? (T)(object)Parse<uint>(body)
            : Is<T, ulong>() ? (T)(object)Parse<ulong>(body)
            : Is<T, short>() ? (T)(object)Parse<short>(body)
            : Is<T, ushort>() ? (T)(object)Parse<ushort>(body)
            : Is<T, byte>() ? (T)(object)Parse<byte>(body)
            : Is<T, sbyte>() ? (T)(object)Parse<sbyte>(body)
            : Is<T, Int128>() ? (T)(object)Parse<Int128>(body)
            : Is<T, Guid>() ? (T)(object)Parse<Guid>(body)
            : Is<T, DateTime>() ? (T)(object)DateTime.Parse(Text(body), CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind)
            : Is<T, DateTimeOffset>() ? (T)(object)DateTimeOffset.Parse(Text(body), CultureInfo.InvariantCulture)
            : Is<T, TimeSpan>() ? (T)(object)TimeSpan.Parse(Text(body), CultureInfo.InvariantCulture)
            : (Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T)) is { IsEnum: true } type ? (T)Name(type, body)
            : throw NotKnown(typeof(T));
    }

    // Whether T is this value type or its nullable form.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Is<T, TValue>()
        where TValue : struct
        => typeof(T) == typeof(TValue) || typeof(T) == typeof(TValue?);

    private static object Name(Type type, ReadOnlySpan<byte> body)
        => Enum.TryParse(type, Text(body), ignoreCase: true, out object? value) ? value
            : throw new FormatException($"The body is not a member of {type.Name}.");

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
        => new($"TextEncoder supports strings, booleans, numbers, dates, identifiers and enumerations, not {type}.");
}
