using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Client;

/// <summary>
/// Encodes values as JSON: with the source-generated code of a context, <c>new JsonEncoder(OrdersJson.Default)</c>, or
/// by reflection for any type, <see cref="Instance"/>.
/// </summary>
/// <example>
/// <code>
/// EncodedConnection orders = nats.WithEncoder(JsonEncoder.Instance);
/// orders.Publish("orders.new", new Order("tea", 2));
/// </code>
/// </example>
public sealed class JsonEncoder : IMessageEncoder
{
    private const string Reflection = "JSON without a context uses reflection. In a trimmed or native program use JsonEncoder(JsonSerializerContext).";

    private readonly JsonSerializerOptions _options;
    private readonly string _source;

    /// <summary>
    /// Creates an encoder that uses source-generated code and no reflection, also in native programs.
    /// </summary>
    /// <param name="context">The context with the types that can be written and read.</param>
    public JsonEncoder(JsonSerializerContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        _options = context.Options;
        _source = context.GetType().Name;
    }

    /// <summary>Creates an encoder that finds the members of the types by reflection.</summary>
    /// <param name="options">The options, which are copied. Null for the defaults of
    /// <see cref="JsonSerializer"/>.</param>
    [RequiresUnreferencedCode(Reflection)]
    [RequiresDynamicCode(Reflection)]
    public JsonEncoder(JsonSerializerOptions? options = null)
    {
        _options = options is null ? new JsonSerializerOptions() : new JsonSerializerOptions(options);
        _options.TypeInfoResolver ??= new DefaultJsonTypeInfoResolver();
        _options.MakeReadOnly();
        _source = nameof(JsonSerializerOptions);
    }

    /// <summary>
    /// The encoder that finds the members of any type by reflection, with the default options. A program that is
    /// trimmed or compiled to native code must use a context instead, and its build warns.
    /// </summary>
    public static JsonEncoder Instance
    {
        [RequiresUnreferencedCode(Reflection)]
        [RequiresDynamicCode(Reflection)]
        get => Reflecting.Encoder;
    }

    /// <inheritdoc/>
    public void Encode<T>(T value, IBufferWriter<byte> body)
    {
        using var writer = new Utf8JsonWriter(body);
        JsonSerializer.Serialize(writer, value, InfoOf<T>());
    }

    /// <inheritdoc/>
    public T Decode<T>(ReadOnlySpan<byte> body)
    {
        try
        {
            return JsonSerializer.Deserialize(body, InfoOf<T>())!;
        }
        catch (JsonException e)
        {
            throw new FormatException($"The body is not valid JSON for {typeof(T).Name}: {e.Message}", e);
        }
    }

    private JsonTypeInfo<T> InfoOf<T>()
        => _options.TryGetTypeInfo(typeof(T), out JsonTypeInfo? info) ? (JsonTypeInfo<T>)info
            : throw new NotSupportedException($"{_source} does not contain the type {typeof(T)}.");

    // A class of its own, so that a program with contexts never creates this encoder.
    [RequiresUnreferencedCode(Reflection)]
    [RequiresDynamicCode(Reflection)]
    private static class Reflecting
    {
        internal static JsonEncoder Encoder { get; } = new();
    }
}
