namespace Broker.Server;

/// <summary>The requests to the stream API in <see cref="Jsz"/>.</summary>
internal sealed record JszApi(long Total, long Errors);
