using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore;

/// <summary>One line of a <see cref="RecentLog"/>.</summary>
internal sealed record RecentLine(DateTime Time, LogLevel Level, string Category, string Text);
