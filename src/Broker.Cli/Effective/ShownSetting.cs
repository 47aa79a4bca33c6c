namespace Broker.Cli.Effective;

/// <summary>A setting with its value and the source of the value.</summary>
/// <param name="Key">The key, with the keys of the blocks around it: <c>tls.cert_file</c>.</param>
/// <param name="Value">A text, a number, a truth value, or an array of these; null for none.</param>
/// <param name="Origin">The source.</param>
/// <param name="IsSecret">Whether the value is not shown.</param>
internal sealed record ShownSetting(string Key, object? Value, SettingOrigin Origin, bool IsSecret = false);
